import { randomInt } from 'node:crypto'
import type { EventOf } from '#contract/core/events.ts'
import type { IdPrefix } from '#contract/core/ids.ts'
import { toThin } from '#contract/notifications/thin.ts'
import { webhookRequest } from '#contract/notifications/webhook-request.ts'
import { DIGESTS } from './digests.ts'

const ID_DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'
const ID_LENGTH = 26
const CONSOLE = 'https://svc.example.com'

type Sample = {
  readonly signingUrl: string
  /** Adds the headers of Standard Webhooks. */
  readonly standardKey?: Uint8Array | undefined
  readonly id: string
  readonly at: Date
}

/** A request as svc sends it when a deploy failed. The organization, the app and the deploy do not exist. */
export function sampleRequest({ signingUrl, standardKey, id, at }: Sample) {
  const deliveryId = sampleId('dlv')
  const standard = standardKey && { id: deliveryId, keys: [standardKey] }
  const notifications = [toThin({ id, event: sampleEvent(at) }, CONSOLE)]
  return webhookRequest(DIGESTS, { url: signingUrl, deliveryId, notifications, at, standard })
}

function sampleEvent(at: Date): EventOf<'deploy.failed'> {
  const app = { id: sampleId('app'), alias: 'shop', name: 'Shop' }
  const body = { status: 'BUILD_FAILED', actor_id: null, app, deployment_id: sampleId('dep') } as const
  return { type: 'deploy.failed', org_id: sampleId('org'), occurred_at: at, body }
}

/** Makes an id in the form of the product's ids. The first digit is 0, because it holds two bits only. */
export function sampleId(prefix: IdPrefix): string {
  const digits = Array.from({ length: ID_LENGTH - 1 }, () => ID_DIGITS[randomInt(ID_DIGITS.length)])
  return `${prefix}_0${digits.join('')}`
}

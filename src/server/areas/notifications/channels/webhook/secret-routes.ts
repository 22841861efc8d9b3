import { randomBytes } from 'node:crypto'
import { notFound, ServiceError } from '#contract/core/errors.ts'
import { SECRET_OVERLAP_HOURS, STANDARD_SECRET_PREFIX } from '#contract/notifications/standard-webhooks.ts'
import { deleteWebhookSecret, rotateWebhookSecret } from '#contract/notifications/webhook-secret.ts'
import { newId } from '#edge/ids.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Tx } from '#lib/db/db.ts'
import { auditBy } from '#ports/audit.ts'
import type { NotificationDeps } from '../../model/deps.ts'
import { lockChannels, requireChannel } from '../store.ts'
import { deleteSigningSecrets, endSigningSecret, insertSigningSecret, listSecretEnds } from './secret-store.ts'

const KEY_BYTES = 32
const OVERLAP_MS = SECRET_OVERLAP_HOURS * 60 * 60_000
/** Each adds a signature to the header of every request. */
const MAX_FORMER_SECRETS = 4

type Deps = Pick<NotificationDeps, 'db' | 'sealer' | 'clock'>

export function webhookSecretRoutes({ db, sealer, clock }: Deps): Route[] {
  return [
    route(rotateWebhookSecret, async ({ id }, { principal }) => {
      return db.tx(async (tx) => {
        await lockChannels(tx, principal.org_id, 'webhook')
        const { label } = await requireChannel(tx, principal.org_id, id, 'webhook')
        const at = clock.now()
        await refuseTooManySecrets(tx, id, at)
        const formerEndsAt = new Date(at.getTime() + OVERLAP_MS)
        const isRotated = await endSigningSecret(tx, id, formerEndsAt)
        const secret = `${STANDARD_SECRET_PREFIX}${randomBytes(KEY_BYTES).toString('base64')}`
        await insertSigningSecret(tx, sealer, { id: newId('whs'), channelId: id, secret, at })
        const action = isRotated ? 'webhook.secret_rotated' : 'webhook.secret_created'
        await auditBy(tx, principal, { action, target: id, detail: { label }, at })
        const former_ends_at = isRotated ? formerEndsAt.toISOString() : null
        return { secret, created_at: at.toISOString(), former_ends_at }
      })
    }),
    route(deleteWebhookSecret, async ({ id }, { principal }) => {
      return db.tx(async (tx) => {
        await lockChannels(tx, principal.org_id, 'webhook')
        const { label } = await requireChannel(tx, principal.org_id, id, 'webhook')
        if (!(await deleteSigningSecrets(tx, id))) throw notFound('signing secret')
        const detail = { label }
        await auditBy(tx, principal, { action: 'webhook.secret_deleted', target: id, detail, at: clock.now() })
        return { deleted: true as const }
      })
    }),
  ]
}

async function refuseTooManySecrets(tx: Tx, channelId: string, now: Date): Promise<void> {
  const ends = await listSecretEnds(tx, channelId, now)
  if (ends.length < MAX_FORMER_SECRETS) return
  const since = `This webhook still signs with ${MAX_FORMER_SECRETS} replaced secrets, so it cannot get another one yet.`
  const advice = `Try again after ${ends[0]!.toISOString()}, or delete its secret and generate a new one without an overlap.`
  throw new ServiceError('CONFLICT', `${since} ${advice}`)
}

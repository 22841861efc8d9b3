import { ServiceError } from '#contract/core/errors.ts'
import type { Tx } from '#lib/db/db.ts'
import type { SystemMails } from '#ports/system-mail.ts'
import { newToken, tokenDigest } from '../../model/link-token.ts'
import { hasRefused, saveRefusalLink } from '../../subscriptions/refusal-store.ts'
import { countConfirmationMail, saveConfirmation } from './address-store.ts'

const VALID_MS = 7 * 24 * 3600_000

type ConfirmationRequest = {
  org_id: string
  /** Undefined when it is not known. */
  orgName: string | undefined
  channelId: string
  address: string
  /** Event types that the person unsubscribed from and an admin subscribed the address to again. */
  eventTypes?: readonly string[]
  baseUrl: string
  now: Date
}

/**
 * Mails the person behind an address a link to confirm it and one to refuse. Throws UNSUBSCRIBED when they refused the
 * organization, and RATE_LIMITED when they got enough mails today.
 */
export async function askToConfirm(tx: Tx, mails: SystemMails, asked: ConfirmationRequest): Promise<void> {
  const { org_id, channelId, address, now } = asked
  if (await hasRefused(tx, { org_id, address })) throw refused(address)
  const waitSeconds = await countConfirmationMail(tx, address, now)
  if (waitSeconds !== undefined) throw tooManyMails(address, waitSeconds)
  const token = newToken()
  const digest = tokenDigest(token)
  const expires_at = new Date(now.getTime() + VALID_MS)
  await mails.queue(tx, {
    key: `confirm-email:${channelId}:${digest.toString('hex')}`,
    org_id,
    to: address,
    ...mailText(asked),
    refusal: { text: 'To get no more such mails from this organization, open:', link: await refusalLink(tx, asked) },
    action: { label: 'Confirm this address', link: new URL(`/confirm-email/${token}`, asked.baseUrl).href },
    expires_at,
  })
  await saveConfirmation(tx, { channelId, digest, expiresAt: expires_at })
}

async function refusalLink(tx: Tx, { org_id, address, baseUrl, now }: ConfirmationRequest): Promise<string> {
  const token = newToken()
  await saveRefusalLink(tx, { digest: tokenDigest(token), org_id, address, now })
  return new URL(`/unsubscribe/${token}`, baseUrl).href
}

function mailText({ orgName, eventTypes = [] }: ConfirmationRequest): { subject: string; paragraphs: string[] } {
  const org = orgName === undefined || !isPlainName(orgName) ? 'An organization' : `The organization “${orgName}”`
  return {
    subject: 'Confirm that you want notifications by email',
    paragraphs: [
      `${org} wants to send notifications to this address.`,
      ...(eventTypes.length > 0
        ? [`You unsubscribed from some of them. They would be sent again: ${eventTypes.join(', ')}.`]
        : []),
      'If you agree, follow the link and confirm on the page that opens, within seven days. If not, ignore this mail: nothing else is sent to you.',
    ],
  }
}

/** Anybody can create an organization, so a name that could carry an advertisement or a link is not mailed. */
function isPlainName(name: string): boolean {
  return name.length <= 60 && !/[:/@\r\n]|\.\p{L}{2}|www/iu.test(name)
}

function refused(address: string): ServiceError {
  const detail = `The person behind ${address} asked this organization not to mail them. Use another address.`
  return new ServiceError('UNSUBSCRIBED', detail)
}

function tooManyMails(address: string, retryAfterSeconds: number): ServiceError {
  const hours = Math.ceil(retryAfterSeconds / 3600)
  const words = `${address} got three confirmation mails within a day. Try again in ${hours} ${hours === 1 ? 'hour' : 'hours'}.`
  return new ServiceError('RATE_LIMITED', words, { retryAfterSeconds })
}

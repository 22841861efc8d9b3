import { createHash, randomBytes } from 'node:crypto'
import { ServiceError } from '#contract/core/errors.ts'
import type { SystemMails } from '#edge/system-mail.ts'
import type { Tx } from '#lib/db/db.ts'
import { countConfirmationMail, saveConfirmation } from './address-store.ts'

const VALID_MS = 7 * 24 * 3600_000

/** The stored digest by which a link's token is found. */
export function confirmationDigest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

type Asked = {
  org_id: string
  /** Undefined when it is not known. */
  orgName: string | undefined
  channelId: string
  address: string
  baseUrl: string
  now: Date
}

/** Mails the person behind an address a link to confirm it. Throws RATE_LIMITED when they got enough of them today. */
export async function askToConfirm(tx: Tx, mails: SystemMails, asked: Asked): Promise<void> {
  const { org_id, channelId, address, now } = asked
  const waitSeconds = await countConfirmationMail(tx, address, now)
  if (waitSeconds !== undefined) throw tooManyMails(address, waitSeconds)
  const token = randomBytes(32).toString('base64url')
  const digest = confirmationDigest(token)
  const expires_at = new Date(now.getTime() + VALID_MS)
  await mails.queue(tx, {
    key: `confirm-email:${channelId}:${digest.toString('hex')}`,
    org_id,
    to: address,
    ...mailText(asked.orgName),
    action: { label: 'Confirm this address', link: new URL(`/confirm-email/${token}`, asked.baseUrl).href },
    expires_at,
  })
  await saveConfirmation(tx, { channelId, digest, expiresAt: expires_at })
}

function mailText(orgName: string | undefined): { subject: string; paragraphs: string[] } {
  const org = orgName === undefined || !isPlainName(orgName) ? 'An organization' : `The organization “${orgName}”`
  return {
    subject: 'Confirm that you want notifications by email',
    paragraphs: [
      `${org} wants to send notifications to this address.`,
      'If you agree, follow the link and confirm on the page that opens, within seven days. If not, ignore this mail: nothing else is sent to you.',
    ],
  }
}

/** Anybody can create an organization, so a name that could carry an advertisement or a link is not mailed. */
function isPlainName(name: string): boolean {
  return name.length <= 60 && !/[:/@\r\n]|\.\p{L}{2}|www/iu.test(name)
}

function tooManyMails(address: string, retryAfterSeconds: number): ServiceError {
  const hours = Math.ceil(retryAfterSeconds / 3600)
  const words = `${address} got three confirmation mails within a day. Try again in ${hours} ${hours === 1 ? 'hour' : 'hours'}.`
  return new ServiceError('RATE_LIMITED', words, { retryAfterSeconds })
}

import type { Clock } from '#lib/clock.ts'
import type { MailResult, OutgoingMail, SendMail } from '#lib/net/mail.ts'
import { composeMail, type DkimKey, type MailAddress } from '#lib/net/mail-message.ts'
import type { People } from '#ports/people.ts'
import type { ClaimedDelivery } from '../../deliver/claim.ts'
import { toThin } from '../../deliver/load.ts'
import { type Message, SEND_TIMEOUT_MS, type Send, type Sent } from '../../deliver/send.ts'
import type { ChannelRecipient } from '../store.ts'
import { classifyMail } from './classify.ts'
import type { RenderedMail } from './layout.ts'
import type { KeptMail } from './mailbox-store.ts'
import { renderMail } from './render.ts'
import { renderSystemMail } from './render-system-mail.ts'

/** How this installation sends mail. */
export type MailSettings = {
  readonly from: MailAddress
  readonly dkim: DkimKey | undefined
  readonly sendMail: SendMail
}

type Deps = {
  /** `mailbox` keeps mails on this machine. Undefined when the operator has configured no mail server. */
  mail?: MailSettings | 'mailbox' | undefined
  keepMail: (mail: KeptMail) => Promise<void>
  people: People
  clock: Clock
  /** Address of the console, which links begin with. */
  baseUrl: () => string
  /** Undefined when the channel is gone or not active. */
  channelRecipient: (channelId: string) => Promise<ChannelRecipient | undefined>
  /** The token of the subscription's unsubscribe link; undefined when the subscription is gone. */
  unsubscribeToken: (subscriptionId: string) => Promise<string | undefined>
}

/** Sends one mail to an email channel, or to the address that a person has now. */
export function emailSender(deps: Deps): Send {
  return async (message, signal) => {
    const { mail } = deps
    if (mail === undefined) return { outcome: { type: 'failed', reason: 'mail_not_configured' } }
    const found = await findAddress(deps, message)
    if ('outcome' in found) return found
    const written = await write(deps, message)
    if (mail === 'mailbox') return keep(deps, message.delivery, { to: found.address, written })
    const outgoing = await compose(deps, mail, { delivery: message.delivery, to: found.address, written })
    const result: MailResult = await mail.sendMail(outgoing, { signal, timeoutMs: SEND_TIMEOUT_MS })
    const outcome = classifyMail(result)
    return result.code === undefined ? { outcome } : { outcome, status: result.code }
  }
}

const GONE: Sent = { outcome: { type: 'dropped', reason: 'destination_gone' } }

async function findAddress(
  deps: Deps,
  { delivery: { org_id, channel_id, user_id }, systemMail }: Message,
): Promise<{ address: string } | Sent> {
  if (systemMail) return { address: systemMail.to }
  if (channel_id !== null) return findChannelAddress(deps, org_id, channel_id)
  return user_id === null ? GONE : findMemberAddress(deps, org_id, user_id)
}

/** An address that nobody confirmed is mailed only while it is its member's. */
async function findChannelAddress(deps: Deps, orgId: string, channelId: string): Promise<{ address: string } | Sent> {
  const recipient = await deps.channelRecipient(channelId)
  if (recipient === undefined) return GONE
  const { address, member_id } = recipient
  if (member_id === null) return { address }
  const found = await findMemberAddress(deps, orgId, member_id)
  return 'address' in found && found.address.toLowerCase() !== address.toLowerCase() ? GONE : found
}

async function findMemberAddress({ people }: Deps, orgId: string, userId: string): Promise<{ address: string } | Sent> {
  const member = await people.member(orgId, userId)
  if (!member.known) return { outcome: { type: member.isTemporary ? 'retry' : 'failed', reason: member.reason } }
  return member.value === undefined ? GONE : { address: member.value.email }
}

type Written = { rendered: RenderedMail; unsubscribeLink: string | null }

async function write({ baseUrl, unsubscribeToken }: Deps, message: Message): Promise<Written> {
  const { notifications, isDigest, systemMail } = message
  if (systemMail) return { rendered: renderSystemMail(systemMail), unsubscribeLink: systemMail.refusal?.link ?? null }
  const subscriptionId = notifications[0]?.subscription_id
  const token = subscriptionId == null ? undefined : await unsubscribeToken(subscriptionId)
  const unsubscribeLink = token === undefined ? null : new URL(`/unsubscribe/${token}`, baseUrl()).href
  const thin = notifications.map((one) => toThin(one, baseUrl()))
  return { rendered: renderMail({ notifications: thin, isDigest, unsubscribeLink }), unsubscribeLink }
}

async function keep(
  { keepMail }: Deps,
  { id, org_id }: ClaimedDelivery,
  { to, written }: { to: string; written: Written },
): Promise<Sent> {
  const { subject, text } = written.rendered
  await keepMail({ delivery_id: id, org_id, recipient: to, subject, body: text })
  return { outcome: { type: 'sent' } }
}

async function compose(
  { clock }: Deps,
  { from, dkim }: MailSettings,
  { delivery, to, written }: { delivery: ClaimedDelivery; to: string; written: Written },
): Promise<OutgoingMail> {
  const messageId = `${delivery.id}@${domainOf(from.address)}`
  const headers = { 'Auto-Submitted': 'auto-generated', ...unsubscribeHeaders(written.unsubscribeLink) }
  return composeMail({ from, to, ...written.rendered, messageId, date: clock.now(), headers }, dkim)
}

/** RFC 8058 allows one-click unsubscription by an https address only. */
function unsubscribeHeaders(link: string | null): Record<string, string> {
  if (link === null) return {}
  const oneClick = link.startsWith('https:') && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
  return { 'List-Unsubscribe': `<${link}>`, ...oneClick }
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1)
}

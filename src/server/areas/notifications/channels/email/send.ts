import { toThin } from '#contract/notifications/thin.ts'
import type { MailResult, OutgoingMail } from '#lib/net/mail/mail.ts'
import { composeMail } from '#lib/net/mail/mail-message.ts'
import type { ClaimedDelivery } from '../../deliver/claim.ts'
import type { DueNotification } from '../../deliver/due-notification.ts'
import { DESTINATION_GONE, type Message, SEND_TIMEOUT_MS, type Send, type Sent } from '../../deliver/send.ts'
import { openFollowToken } from '../../follow-links/store.ts'
import type { MailSettings, NotificationDeps } from '../../model/deps.ts'
import { openUnsubscribeToken } from '../../subscriptions/store.ts'
import { findRecipient } from '../store.ts'
import { classifyMail } from './classify.ts'
import type { RenderedMail } from './layout.ts'
import { keepMail } from './mailbox-store.ts'
import { renderMail } from './render.ts'
import { renderFollowMail } from './render-follow.ts'
import { renderSystemMail } from './render-system-mail.ts'

type Deps = Pick<NotificationDeps, 'db' | 'sealer' | 'mail' | 'people' | 'clock' | 'baseUrl'>

const NOT_CONFIGURED: Sent = { outcome: { type: 'failed', reason: 'mail_not_configured' } }

/** Sends one mail to an email channel, or to the address that a person has now. */
export function emailSender(deps: Deps): Send {
  return async (message, signal) => {
    const { mail } = deps
    if (mail === undefined || (mail === 'mailbox' && message.systemMail?.isSecret)) return NOT_CONFIGURED
    const found = await findAddress(deps, message)
    if ('outcome' in found) return found
    const letter = { ...(await write(deps, message)), delivery: message.delivery, to: found.address }
    if (mail === 'mailbox') return keep(deps, letter)
    const outgoing = await compose(deps, mail, letter)
    const result: MailResult = await mail.sendMail(outgoing, { signal, timeoutMs: SEND_TIMEOUT_MS })
    return { outcome: classifyMail(result), status: result.code }
  }
}

async function findAddress(
  deps: Deps,
  { delivery: { org_id, channel_id, user_id }, systemMail }: Message,
): Promise<{ address: string } | Sent> {
  if (systemMail) return { address: systemMail.to }
  if (channel_id !== null) return findChannelAddress(deps, org_id, channel_id)
  return user_id === null ? DESTINATION_GONE : findMemberAddress(deps, org_id, user_id)
}

/** An address that nobody confirmed is mailed only while it is its member's. */
async function findChannelAddress(deps: Deps, orgId: string, channelId: string): Promise<{ address: string } | Sent> {
  const recipient = await findRecipient(deps.db, channelId)
  if (recipient === undefined) return DESTINATION_GONE
  const { address, member_id } = recipient
  if (member_id === null) return { address }
  const found = await findMemberAddress(deps, orgId, member_id)
  return 'address' in found && found.address.toLowerCase() !== address.toLowerCase() ? DESTINATION_GONE : found
}

async function findMemberAddress({ people }: Deps, orgId: string, userId: string): Promise<{ address: string } | Sent> {
  const member = await people.member(orgId, userId)
  if (!member.isKnown) return { outcome: { type: member.isTemporary ? 'retry' : 'failed', reason: member.reason } }
  return member.value === undefined ? DESTINATION_GONE : { address: member.value.email }
}

type Written = { rendered: RenderedMail; unsubscribeLink: string | null }
type Letter = Written & { delivery: ClaimedDelivery; to: string }

async function write(deps: Deps, message: Message): Promise<Written> {
  const { notifications, isDigest, systemMail } = message
  const { db, sealer, baseUrl } = deps
  if (systemMail) return { rendered: renderSystemMail(systemMail), unsubscribeLink: systemMail.refusal?.link ?? null }
  if (isOfFollow(notifications[0]!)) return writeFollow(deps, message, notifications[0])
  const subscriptionId = notifications[0]?.subscription_id
  const token = subscriptionId == null ? undefined : await openUnsubscribeToken(db, sealer, subscriptionId)
  const unsubscribeLink = linkOf(deps, token)
  const thin = notifications.map((one) => toThin(one, baseUrl()))
  return { rendered: renderMail({ notifications: thin, isDigest, unsubscribeLink }), unsubscribeLink }
}

type OfFollow = DueNotification & { readonly user_id: string }

function isOfFollow(notification: DueNotification): notification is OfFollow {
  return notification.subscription_id === null && notification.user_id !== null
}

async function writeFollow(deps: Deps, { notifications, isDigest }: Message, first: OfFollow): Promise<Written> {
  const { event, user_id } = first
  const app_id = 'app' in event.body ? event.body.app.id : ''
  const token = await openFollowToken(deps.db, deps.sealer, { org_id: event.org_id, user_id, app_id })
  const unsubscribeLink = linkOf(deps, token)
  const rendered = renderFollowMail({ notifications, isDigest, baseUrl: deps.baseUrl(), unsubscribeLink })
  return { rendered, unsubscribeLink }
}

function linkOf({ baseUrl }: Deps, token: string | undefined): string | null {
  return token === undefined ? null : new URL(`/unsubscribe/${token}`, baseUrl()).href
}

async function keep({ db, sealer }: Deps, { delivery, to, rendered }: Letter): Promise<Sent> {
  const { id, org_id } = delivery
  const { subject, text } = rendered
  await keepMail(db, sealer, { delivery_id: id, org_id, recipient: to, subject, body: text })
  return { outcome: { type: 'sent' } }
}

async function compose(
  { clock }: Deps,
  { from, dkim }: MailSettings,
  { delivery, to, rendered, unsubscribeLink }: Letter,
): Promise<OutgoingMail> {
  const messageId = `${delivery.id}@${domainOf(from.address)}`
  const headers = { 'Auto-Submitted': 'auto-generated', ...unsubscribeHeaders(unsubscribeLink) }
  return composeMail({ from, to, ...rendered, messageId, date: clock.now(), headers }, dkim)
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

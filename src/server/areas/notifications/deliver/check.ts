import { EVENTS } from '#contract/core/events.ts'
import { roleAtLeast } from '#contract/core/roles.ts'
import { gather } from '#lib/work/gather.ts'
import type { NotificationDeps } from '../model/deps.ts'
import { openContent } from '../model/mail-content.ts'
import { maySeeApp } from '../people/may-see-app.ts'
import type { ClaimedDelivery } from './claim.ts'
import type { DueNotification } from './due-notification.ts'
import type { Message, Sent } from './send.ts'
import { dropNotifications, isFollowing, type LoadedNotification, loadDeliveries } from './store.ts'

/** Loads what a claimed delivery is to send, or says why it is not sent. Runs before every attempt. */
export type CheckBeforeSending = (delivery: ClaimedDelivery) => Promise<{ message: Message } | Sent>

type Deps = Pick<NotificationDeps, 'db' | 'people' | 'sealer' | 'clock'>
/** Null when the notification may be sent. */
type Refusal = { reason: string; isTemporary?: boolean } | null

/** Checks at each attempt that the subscription still stands and that the person may still be told. */
export function createCheck(deps: Deps): CheckBeforeSending {
  // Deliveries that begin at the same time are loaded by one statement.
  const load = gather((deliveries: readonly ClaimedDelivery[]) => loadDeliveries(deps.db, deliveries), {
    joinsTurn: true,
  })
  return async (delivery) => {
    if (delivery.message_key !== null) return checkSystemMail(deps, delivery)
    const { isChannelActive, notifications: loaded } = await load(delivery)
    if (!isChannelActive) return dropped('destination_gone')
    const refusals = await Promise.all(loaded.map((one) => refusalOf(deps, one)))
    const temporary = refusals.find((refusal) => refusal?.isTemporary)
    if (temporary) return { outcome: { type: 'retry', reason: temporary.reason, isOurFault: true } }
    const refused = loaded.flatMap(({ id }, i) => (refusals[i] ? [{ id, reason: refusals[i].reason }] : []))
    // A resend may carry notifications that were delivered before: the ledger must go on saying so.
    if (delivery.resend_of === null) await dropNotifications(deps.db, refused)
    const notifications = loaded.filter((_, i) => refusals[i] === null)
    if (notifications.length === 0) return dropped(refusals[0]?.reason ?? 'destination_gone')
    return { message: { delivery, notifications, isDigest: delivery.digest_key !== null } }
  }
}

/** A mail without an event has no subscription, so only its age can forbid it. */
function checkSystemMail({ sealer, clock }: Deps, delivery: ClaimedDelivery): { message: Message } | Sent {
  // Its text is deleted when its worker is lost. A late result can still prove that it was not delivered.
  if (delivery.message === null) return { outcome: { type: 'failed', reason: 'content_deleted' } }
  const content = openContent(sealer, delivery.id, delivery.message)
  if (content.expires_at !== null && content.expires_at <= clock.now()) return dropped('expired')
  return { message: { delivery, notifications: [], isDigest: false, systemMail: content } }
}

function dropped(reason: string): Sent {
  return { outcome: { type: 'dropped', reason } }
}

async function refusalOf(deps: Deps, notification: LoadedNotification): Promise<Refusal> {
  // An admin asked for it, for this channel only; whether the channel is active is checked for all.
  if (notification.event.type === 'notification.test') return null
  return notification.subscription_id === null
    ? refusalOfFollow(deps, notification)
    : refusalOfSubscription(deps, notification)
}

async function refusalOfSubscription(
  { people }: Deps,
  { event, user_id, subscription_owner }: LoadedNotification,
): Promise<Refusal> {
  if (subscription_owner === null) return { reason: 'unsubscribed' }
  if (user_id === null) return null
  const member = await people.member(event.org_id, user_id)
  if (!member.isKnown) return { reason: member.reason, isTemporary: member.isTemporary }
  const isStillConcerned =
    subscription_owner === 'support_access'
      ? member.value !== undefined && roleAtLeast(member.value.role, 'admin')
      : member.value !== undefined && isReporterOf(event, user_id)
  return isStillConcerned ? null : { reason: 'destination_gone' }
}

/** A reporter is told of replies to their own tickets, but not of their own replies. */
function isReporterOf(event: DueNotification['event'], userId: string): boolean {
  return event.type === 'support.ticket.replied' && event.body.reporter_id === userId && event.body.actor_id !== userId
}

async function refusalOfFollow({ db, people }: Deps, { event, user_id }: DueNotification): Promise<Refusal> {
  const { category } = EVENTS[event.type]
  if (user_id === null || category === null || !('app' in event.body)) return { reason: 'destination_gone' }
  const appId = event.body.app.id
  const follow = { org_id: event.org_id, appId, userId: user_id, category }
  if (!(await isFollowing(db, follow))) return { reason: 'unsubscribed' }
  const answer = await maySeeApp(people, { orgId: event.org_id, appId, userId: user_id })
  if (!answer.isKnown) return { reason: answer.reason, isTemporary: answer.isTemporary }
  return answer.value ? null : { reason: 'no_part_in_app' }
}

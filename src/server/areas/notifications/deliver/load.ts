import { EVENTS, type EventOf, eventLink, eventSubject, readStoredEvent } from '#contract/core/events.ts'
import type { Notification } from '#contract/notifications/inbox.ts'
import type { Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { ClaimedDelivery } from './claim.ts'

/** A notification of a delivery, with all that any channel may show of its event. */
export type DueNotification = {
  readonly id: string
  readonly subscription_id: string | null
  readonly user_id: string | null
  readonly event: EventOf & { id: string }
}

type Row = {
  id: string
  subscription_id: string | null
  user_id: string | null
  event_id: string
  org_id: string
  type: string
  body: unknown
  occurred_at: Date
}

/** Notifications of an event that only a newer release can read are left out. */
export async function loadNotifications(db: Querier, delivery: ClaimedDelivery): Promise<DueNotification[]> {
  const rows = await db.query<Row>(sql`
    select notification.id, subscription_id, user_id, event_id, event.org_id, type, body, occurred_at
    from notifications.notifications as notification
    join notifications.events as event on event.id = event_id
    where delivery_id = ${delivery.resend_of ?? delivery.id} and dropped_reason is null
    order by notification.id`)
  return rows.flatMap(({ id, subscription_id, user_id, event_id, ...stored }) => {
    const event = readStoredEvent(stored)
    return event ? [{ id, subscription_id, user_id, event: { ...event, id: event_id } }] : []
  })
}

/** The thin object: what happened and where to look, never the body of the event. `baseUrl` is the console's address. */
export function toThin({ id, event }: DueNotification, baseUrl: string): Notification {
  return {
    id,
    event_type: event.type,
    subject: eventSubject(event),
    occurred_at: event.occurred_at.toISOString(),
    org_id: event.org_id,
    ...('app' in event.body && { app: event.body.app.alias }),
    link: new URL(eventLink(event), baseUrl).href,
  }
}

export function categoryOf({ event }: DueNotification) {
  return EVENTS[event.type].category
}

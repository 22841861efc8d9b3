import { type EventOf, eventLink, eventSubject } from '#contract/core/events.ts'
import type { Notification } from '#contract/notifications/inbox.ts'

/** A notification of a delivery, with all that any channel may show of its event. */
export type DueNotification = {
  readonly id: string
  readonly subscription_id: string | null
  readonly user_id: string | null
  readonly event: EventOf & { id: string }
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

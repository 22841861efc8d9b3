import { type EventOf, eventLink, eventSubject } from '../core/events.ts'
import type { Notification } from './inbox.ts'

/** The thin object: what happened and where to look, never the body of the event. `baseUrl` is the console's address. */
export function toThin({ id, event }: { readonly id: string; readonly event: EventOf }, baseUrl: string): Notification {
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

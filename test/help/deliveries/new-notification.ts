import { newId } from '#edge/ids.ts'
import type { NewNotification } from '../../../src/server/areas/notifications/model/notification.ts'

/** A notification of an event of its own for one webhook, one to a message. */
export function newNotification(over: Partial<NewNotification> = {}): NewNotification {
  return {
    event_id: newId('evt'),
    org_id: 'org_1',
    destination_key: 'webhook:chn_1',
    kind: 'webhook',
    channel_id: 'chn_1',
    user_id: null,
    subscription_id: null,
    app_id: null,
    digest: null,
    dropped_reason: null,
    per_message: 1,
    ...over,
  }
}

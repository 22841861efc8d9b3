/** Notified by Postgres with the id of each person who has a new notification. */
export const INBOX_NOTIFY = 'svc_notification_inbox'

/** Calls back when the person may have a new notification, in any organization. */
export type WatchInbox = (userId: string, onChange: () => void) => Promise<AsyncDisposable>

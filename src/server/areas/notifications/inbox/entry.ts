import { ServiceError } from '#contract/core/errors.ts'
import type { InboxEntry } from '#contract/notifications/inbox.ts'
import type { Member } from '#edge/route/route.ts'
import type { InboxOwner, InboxRow } from './store.ts'

/** Throws FORBIDDEN for callers that are not people, such as workloads and support sessions. */
export function inboxOwner({ org_id, user_id }: Member): InboxOwner {
  if (user_id === null) throw new ServiceError('FORBIDDEN', 'Only a person has notifications.')
  return { org_id, user_id }
}

/** The stored link is a path; `baseUrl` is the address of the console. */
export function present(entry: InboxRow, baseUrl: string): InboxEntry {
  const { id, event_type, subject, org_id, app, occurred_at, read_at, link } = entry
  const times = { occurred_at: occurred_at.toISOString(), read_at: read_at?.toISOString() ?? null }
  return { id, event_type, subject, org_id, ...times, ...(app !== null && { app }), link: new URL(link, baseUrl).href }
}

import type { Sealer } from '#lib/crypto/seal.ts'
import type { Tx } from '#lib/db/db.ts'
import { seedPipelines } from '../defaults/seed.ts'
import type { MatchedEvent } from '../model/notification.ts'
import { readTimezones } from '../settings/store.ts'
import { addNotifications } from '../store/enqueue.ts'
import { matchSubscriptions, recordOnly } from './match.ts'
import { readSubscriptions } from './store.ts'

/**
 * Adds the notifications of events for the subscriptions of their organizations. `forPeople` has the ids of those that
 * are still to be matched to people. The caller marks the events as matched in the same transaction.
 */
export async function addMatched(
  tx: Tx,
  sealer: Sealer,
  events: readonly MatchedEvent[],
  { forPeople, now }: { forPeople: ReadonlySet<string>; now: Date },
): Promise<void> {
  if (events.length === 0) return
  const orgIds = orgIdsOf(events)
  await seedPipelines(tx, sealer, orgIdsOf(events.filter(({ type }) => type.startsWith('pipeline.run.'))))
  const subscriptions = Map.groupBy(await readSubscriptions(tx, orgIds), ({ org_id }) => org_id)
  const timezoneOf = await readTimezones(tx, orgIds)
  const notifications = events.flatMap((event) => {
    const when = { timezone: timezoneOf(event.org_id), now }
    const matched = matchSubscriptions(event, subscriptions.get(event.org_id) ?? [], when)
    return matched.length > 0 || forPeople.has(event.id) ? matched : [recordOnly(event, 'no_subscription')]
  })
  await addNotifications(tx, notifications)
}

/** Sorted, so that transactions that make defaults of the same organizations wait for each other in one order. */
function orgIdsOf(events: readonly MatchedEvent[]): string[] {
  return [...new Set(events.map(({ org_id }) => org_id))].sort()
}

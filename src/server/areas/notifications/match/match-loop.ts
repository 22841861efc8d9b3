import { EVENTS } from '#contract/core/events.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { Db, Tx } from '#lib/db/db.ts'
import { IDLE_POLL_SECONDS } from '#lib/work/idle-poll.ts'
import type { Loop } from '#lib/work/loop.ts'
import { seedPipelines } from '../defaults/seed.ts'
import type { MatchedEvent } from '../model/notification.ts'
import { readTimezones } from '../settings/store.ts'
import { addNotifications } from '../store/enqueue.ts'
import { EVENTS_NOTIFY } from '../store/events.ts'
import { matchSubscriptions, recordOnly } from './match.ts'
import { markMatched, readSubscriptions, readUnmatched } from './store.ts'
import { noteUnreadable, type UnreadableEvent } from './unreadable-store.ts'

const EVENTS_PER_TRANSACTION = 200

/** How often events that this release could not read are tried again: a newer worker may have noted them as new. */
const RETRY_UNREADABLE_MS = 10 * 60_000

type Deps = { db: Db; sealer: Sealer; onUnreadable?: (events: readonly UnreadableEvent[]) => void }

/** Compares events with the subscriptions of their organization. Any number of processes can do so at once. */
export function matchLoop(deps: Deps): Loop {
  // A process that starts may be a newer release, so its first turn tries them.
  let retryUnreadableAt = 0
  return {
    name: 'notifications-match',
    wakeOn: EVENTS_NOTIFY,
    tick: async (now, signal) => {
      await matchPages(deps, 'new', now, signal)
      if (now.getTime() >= retryUnreadableAt) {
        await matchPages(deps, 'unreadable', now, signal)
        retryUnreadableAt = now.getTime() + RETRY_UNREADABLE_MS
      }
      return new Date(now.getTime() + IDLE_POLL_SECONDS * 1000)
    },
  }
}

async function matchPages(deps: Deps, which: 'new' | 'unreadable', now: Date, signal: AbortSignal): Promise<void> {
  const { db, sealer, onUnreadable } = deps
  for (let after = ''; ; ) {
    const page = await readUnmatched(db, which, { after, limit: EVENTS_PER_TRANSACTION })
    const events = page.flatMap(({ event }) => event ?? [])
    if (events.length > 0) await db.tx((tx) => matchEvents(tx, sealer, events, now))
    const unreadable = which === 'new' ? page.filter(({ event }) => event === undefined) : []
    if (unreadable.length > 0) onUnreadable?.(await db.tx((tx) => noteUnreadable(tx, unreadable)))
    if (page.length < EVENTS_PER_TRANSACTION || signal.aborted) return
    after = page.at(-1)!.id
  }
}

async function matchEvents(tx: Tx, sealer: Sealer, events: readonly MatchedEvent[], now: Date): Promise<void> {
  const marks = events.map((event) => ({ id: event.id, people_pending: concernsPeople(event) }))
  const matchedHere = await markMatched(tx, marks)
  const ours = events.filter(({ id }) => matchedHere.has(id))
  const orgIds = orgIdsOf(ours)
  await seedPipelines(tx, sealer, orgIdsOf(ours.filter(({ type }) => type.startsWith('pipeline.run.'))))
  const subscriptions = Map.groupBy(await readSubscriptions(tx, orgIds), ({ org_id }) => org_id)
  const timezoneOf = await readTimezones(tx, orgIds)
  const notifications = ours.flatMap((event) => {
    const when = { timezone: timezoneOf(event.org_id), now }
    const matched = matchSubscriptions(event, subscriptions.get(event.org_id) ?? [], when)
    return matched.length > 0 || concernsPeople(event) ? matched : [recordOnly(event, 'no_subscription')]
  })
  await addNotifications(tx, notifications)
}

/** Sorted, so that transactions that make defaults of the same organizations wait for each other in one order. */
function orgIdsOf(events: readonly MatchedEvent[]): string[] {
  return [...new Set(events.map(({ org_id }) => org_id))].sort()
}

/** Whether the event may go to people: those who follow its app, its reporter, or owners and admins. */
function concernsPeople({ type }: MatchedEvent): boolean {
  return EVENTS[type].category !== null || type.startsWith('org.support_access.')
}

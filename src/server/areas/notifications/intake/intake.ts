import type { Sealer } from '#lib/crypto/seal.ts'
import type { Db, Tx } from '#lib/db/db.ts'
import { repeatWhileFull } from '#lib/work/full-batches.ts'
import { IDLE_POLL_SECONDS } from '#lib/work/idle-poll.ts'
import type { Loop } from '#lib/work/loop.ts'
import { hasEvents, OUTBOX_CHANNEL, type StoredEvent, takeEvents } from '#lib/work/outbox.ts'
import { addMatched } from '../match/match-events.ts'
import { findForPeople } from '../match/people-store.ts'
import { readEvent } from '../model/stored-event.ts'
import { storeEvents } from '../store/events.ts'
import { DELIVERY_SETTINGS } from '../store/lock.ts'

const EVENTS_PER_TRANSACTION = 200
/** After events were found: another process may hold some, which it leaves without a notification if it dies. */
const OPEN_POLL_SECONDS = 5

type Deps = { db: Db; sealer: Sealer; onError: (error: unknown) => void }

/**
 * Moves events from the outbox to the events of notifications and compares them with subscriptions. Any number of
 * processes can do so at once.
 */
export function intakeLoop(deps: Deps): Loop {
  return {
    name: 'notifications-intake',
    wakeOn: OUTBOX_CHANNEL,
    tick: async (now, signal) => {
      const isOpen = await hasEvents(deps.db)
      if (isOpen) await repeatWhileFull(signal, EVENTS_PER_TRANSACTION, () => takeIn(deps, now))
      return new Date(now.getTime() + (isOpen ? OPEN_POLL_SECONDS : IDLE_POLL_SECONDS) * 1000)
    },
  }
}

/** Returns how many events left the outbox: as many as fit in one transaction, or all that there were. */
async function takeIn({ db, sealer, onError }: Deps, now: Date): Promise<number> {
  const take = (store: (tx: Tx, events: readonly StoredEvent[]) => Promise<unknown>) =>
    db.tx(
      async (tx) => {
        const events = await takeEvents(tx, EVENTS_PER_TRANSACTION)
        if (events.length > 0) await store(tx, events)
        return events.length
      },
      { settings: DELIVERY_SETTINGS },
    )
  try {
    return await take((tx, events) => storeMatched(tx, sealer, events, now))
  } catch (error) {
    // The loop that matches tries each of them alone, so that one which cannot be matched holds up no other.
    const count = await take((tx, events) => storeEvents(tx, events.map(asUnmatched), now))
    onError(error)
    return count
  }
}

/** Those that only a newer release can read are stored as unmatched. */
async function storeMatched(tx: Tx, sealer: Sealer, events: readonly StoredEvent[], now: Date): Promise<void> {
  const readable = events.flatMap((event) => readEvent(event) ?? [])
  const readableIds = new Set(readable.map(({ id }) => id))
  const forPeople = await findForPeople(tx, readable)
  const incoming = events.map((event) => {
    return { ...event, is_matched: readableIds.has(event.id), people_pending: forPeople.has(event.id) }
  })
  const stored = await storeEvents(tx, incoming, now)
  const ours = readable.filter(({ id }) => stored.has(id))
  await addMatched(tx, sealer, ours, { forPeople, now })
}

function asUnmatched(event: StoredEvent) {
  return { ...event, is_matched: false, people_pending: false }
}

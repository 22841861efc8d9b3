import type { Db } from '#lib/db/db.ts'
import { repeatWhileFull } from '#lib/work/full-batches.ts'
import { IDLE_POLL_SECONDS } from '#lib/work/idle-poll.ts'
import type { Loop } from '#lib/work/loop.ts'
import { hasEvents, OUTBOX_CHANNEL, takeEvents } from '#lib/work/outbox.ts'
import { storeEvents } from '../store/events.ts'

const EVENTS_PER_TRANSACTION = 500
/** After events were found: another process may hold some, which it leaves without a notification if it dies. */
const OPEN_POLL_SECONDS = 5

/** Moves events from the outbox to the events of notifications. Any number of processes can do so at once. */
export function intakeLoop({ db }: { db: Db }): Loop {
  return {
    name: 'notifications-intake',
    wakeOn: OUTBOX_CHANNEL,
    tick: async (now, signal) => {
      const isOpen = await hasEvents(db)
      if (isOpen) await repeatWhileFull(signal, EVENTS_PER_TRANSACTION, () => takeInEvents(db, now))
      return new Date(now.getTime() + (isOpen ? OPEN_POLL_SECONDS : IDLE_POLL_SECONDS) * 1000)
    },
  }
}

/** Returns how many events left the outbox: as many as fit in one transaction, or all that there were. */
async function takeInEvents(db: Db, now: Date): Promise<number> {
  return db.tx(async (tx) => {
    const events = await takeEvents(tx, EVENTS_PER_TRANSACTION)
    if (events.length === 0) return 0
    await storeEvents(tx, events, now)
    return events.length
  })
}

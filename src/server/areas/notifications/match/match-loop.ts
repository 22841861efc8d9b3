import type { Sealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import { type Attempt, createAttempts } from '#lib/work/attempts.ts'
import { IDLE_POLL_SECONDS } from '#lib/work/idle-poll.ts'
import type { Loop } from '#lib/work/loop.ts'
import type { MatchedEvent } from '../model/notification.ts'
import { EVENTS_NOTIFY } from '../store/events.ts'
import { addMatched } from './match-events.ts'
import { findForPeople } from './people-store.ts'
import { markMatched, readUnmatched } from './store.ts'
import { noteUnreadable, type UnreadableEvent } from './unreadable-store.ts'

const EVENTS_PER_PAGE = 200

/** How often events that this release could not read are tried again: a newer worker may have noted them as new. */
const RETRY_UNREADABLE_MS = 10 * 60_000

type Deps = {
  db: Db
  sealer: Sealer
  onError: (error: unknown) => void
  onUnreadable?: (events: readonly UnreadableEvent[]) => void
}

/**
 * Matches the events that intake stored as unmatched: those that a release could not read, and those whose matching
 * failed. Any number of processes can do so at once.
 */
export function matchLoop(deps: Deps): Loop {
  // A process that starts may be a newer release, so its first turn tries them.
  let retryUnreadableAt = 0
  const attempt = createAttempts('matching event', deps.onError)
  return {
    name: 'notifications-match',
    wakeOn: EVENTS_NOTIFY,
    tick: async (now, signal) => {
      await matchPages(deps, attempt, { which: 'new', now, signal })
      if (now.getTime() >= retryUnreadableAt) {
        await matchPages(deps, attempt, { which: 'unreadable', now, signal })
        retryUnreadableAt = now.getTime() + RETRY_UNREADABLE_MS
      }
      return new Date(now.getTime() + IDLE_POLL_SECONDS * 1000)
    },
  }
}

type Turn = { which: 'new' | 'unreadable'; now: Date; signal: AbortSignal }

async function matchPages(deps: Deps, attempt: Attempt, { which, now, signal }: Turn): Promise<void> {
  const { db, onUnreadable } = deps
  for (let after = ''; ; ) {
    const page = await readUnmatched(db, which, { after, limit: EVENTS_PER_PAGE })
    for (const { event } of page) {
      if (event && !signal.aborted) await attempt(event.id, now, () => matchOne(deps, event, now))
    }
    const unreadable = which === 'new' ? page.filter(({ event }) => event === undefined) : []
    if (unreadable.length > 0) onUnreadable?.(await db.tx((tx) => noteUnreadable(tx, unreadable)))
    if (page.length < EVENTS_PER_PAGE || signal.aborted) return
    after = page.at(-1)!.id
  }
}

async function matchOne({ db, sealer }: Deps, event: MatchedEvent, now: Date): Promise<void> {
  await db.tx(async (tx) => {
    const forPeople = await findForPeople(tx, [event])
    const isOurs = await markMatched(tx, event.id, forPeople.has(event.id))
    if (isOurs) await addMatched(tx, sealer, [event], { forPeople, now })
  })
}

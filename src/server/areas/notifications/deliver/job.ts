import { setTimeout as wait } from 'node:timers/promises'
import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { gather } from '#lib/gather.ts'
import type { HeldLease, JobKind } from '#lib/work/job-kind.ts'
import { DELIVERIES_NOTIFY } from '../match/enqueue.ts'
import type { CheckBeforeSending } from './check.ts'
import { type AttemptKind, type ClaimedDelivery, claimDeliveries } from './claim.ts'
import { type Ended, finishDeliveries } from './finish.ts'
import { releaseDeliveries } from './release.ts'
import { SEND_TIMEOUT_MS, type Senders, type Sent } from './send.ts'

type Deps = {
  db: Db
  senders: Senders
  check: CheckBeforeSending
  onError: (error: unknown) => void
}

const LEASE_SECONDS = 60
const POLL_SECONDS = 5
const DRAIN_SECONDS = 20
/** A send that could outlive its lease is not begun: the ledger would already call it unknown. */
const MIN_LEASE_MS = SEND_TIMEOUT_MS + 5_000

/** Slots for first attempts and slots for retries, so that dead destinations never delay a new notification. */
export function deliveryJobs(deps: Deps, slots: Record<AttemptKind, number>): JobKind<ClaimedDelivery>[] {
  return [deliveryJob(deps, 'first', slots.first), deliveryJob(deps, 'retry', slots.retry)]
}

function deliveryJob(deps: Deps, attemptKind: AttemptKind, slots: number): JobKind<ClaimedDelivery> {
  const { db } = deps
  const record = createRecorder(deps)
  return {
    name: `notifications-${attemptKind}`,
    slots,
    leaseSeconds: LEASE_SECONDS,
    wakeOn: DELIVERIES_NOTIFY,
    pollSeconds: POLL_SECONDS,
    drainSeconds: DRAIN_SECONDS,
    claim: async (limit) => {
      const { deliveries, nextInSeconds } = await claimDeliveries(db, attemptKind, limit, LEASE_SECONDS)
      return { jobs: deliveries, nextInSeconds }
    },
    run: async (delivery, held) => record({ delivery, ...(await attempt(deps, delivery, held)) }),
    renew: (deliveries) => renewDeliveries(db, deliveries),
    release: (deliveries) => releaseDeliveries(db, deliveries),
  }
}

/** Never throws: whatever went wrong, the attempt has an outcome. */
async function attempt({ check, senders, onError }: Deps, delivery: ClaimedDelivery, held: HeldLease): Promise<Sent> {
  let begun = false
  try {
    const checked = await check(delivery)
    if ('outcome' in checked) return checked
    if (held.leaseMsLeft() < MIN_LEASE_MS) return { outcome: { type: 'retry', reason: 'worker_stalled' } }
    begun = true
    return await senders[delivery.kind](checked.message, held.signal)
  } catch (error) {
    onError(error)
    return { outcome: begun ? { type: 'unknown', reason: 'internal' } : { type: 'retry', reason: 'internal' } }
  }
}

/** Results that are ready at the same time are written in one transaction. */
function createRecorder({ db, onError }: Deps): (ended: Ended) => Promise<void> {
  const write = gather<Ended, void>(async (ended) => {
    await finishDeliveries(db, ended, Math.random)
    return ended.map(() => undefined)
  })
  return async (ended) => {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
      try {
        return await write(ended)
      } catch (error) {
        // The result is known only here: it is worth every effort to write it, also long after the lease.
        onError(error)
        await wait(pause, undefined, { ref: false })
      }
    }
  }
}

const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 10_000

async function renewDeliveries(db: Db, deliveries: readonly ClaimedDelivery[]) {
  return db.query<{ id: string; fence: number }>(sql`
    update notifications.deliveries set lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    where state = 'sending' and fence = any(${deliveries.map(({ fence }) => fence)}::bigint[])
    returning id, fence`)
}

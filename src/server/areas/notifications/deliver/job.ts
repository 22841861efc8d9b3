import { setTimeout as wait } from 'node:timers/promises'
import type { Db } from '#lib/db/db.ts'
import { gather } from '#lib/work/gather.ts'
import { IDLE_POLL_SECONDS } from '#lib/work/idle-poll.ts'
import type { HeldLease, JobKind } from '#lib/work/job-kind.ts'
import { renewClaims } from '#lib/work/job-table.ts'
import { DELIVERIES_NOTIFY, RETRY_PAYLOAD } from '../store/reschedule.ts'
import type { CheckBeforeSending } from './check.ts'
import { type AttemptKind, type ClaimedDelivery, claimDeliveries, readRest } from './claim.ts'
import { type Ended, finishDeliveries } from './finish.ts'
import { DELIVERY_JOBS, releaseDeliveries } from './release.ts'
import { SEND_TIMEOUT_MS, type Senders, type Sent } from './send.ts'

type Deps = {
  db: Db
  senders: Senders
  check: CheckBeforeSending
  onError: (error: unknown) => void
  timing?: DeliveryTiming
}

export type DeliveryTiming = {
  leaseSeconds: number
  /** A send that could outlive its lease is not begun: the ledger would already call it unknown. */
  minLeaseMs: number
}

const USUAL_TIMING: DeliveryTiming = { leaseSeconds: 60, minLeaseMs: SEND_TIMEOUT_MS + 5_000 }
/**
 * For first attempts short beside a request to a receiver, and long enough for several of them to end. Retries wait for
 * seconds at least, so a new notification, which is seldom about them, need not look for them at once.
 */
const CLAIM_DELAY_MS: Record<AttemptKind, number> = { first: 20, retry: 1_000 }
const DRAIN_SECONDS = 20
/** Long enough for several attempts to end, so that they share a transaction. Nobody waits for a result. */
const RECORD_DELAY_MS = 5

/** Slots for first attempts and slots for retries, so that dead destinations never delay a new notification. */
export function deliveryJobs(deps: Deps, slots: Record<AttemptKind, number>): JobKind<ClaimedDelivery>[] {
  return [deliveryJob(deps, 'first', slots.first), deliveryJob(deps, 'retry', slots.retry)]
}

function deliveryJob(deps: Deps, attemptKind: AttemptKind, slots: number): JobKind<ClaimedDelivery> {
  const { db, timing = USUAL_TIMING } = deps
  const { leaseSeconds } = timing
  const record = createRecorder(deps)
  let wasIdle = true
  return {
    name: `notifications-${attemptKind}`,
    slots,
    claimDelayMs: CLAIM_DELAY_MS[attemptKind],
    leaseSeconds,
    wakeOn: DELIVERIES_NOTIFY,
    onNotify: (payload) => payload === RETRY_PAYLOAD && attemptKind === 'first',
    pollSeconds: IDLE_POLL_SECONDS,
    drainSeconds: DRAIN_SECONDS,
    claim: async (limit) => {
      // An idle worker only looks: a claim is a transaction of four statements.
      const found = wasIdle ? await readRest(db, attemptKind) : undefined
      if (found?.isMoreWaiting === false) return { jobs: [], ...found }
      const { deliveries, ...rest } = await claimDeliveries(db, attemptKind, limit, leaseSeconds)
      wasIdle = deliveries.length === 0
      return { jobs: deliveries, ...rest }
    },
    run: async (delivery, held) => record({ delivery, ...(await attempt(deps, delivery, held)) }),
    renew: (deliveries) => renewClaims(db, DELIVERY_JOBS, deliveries, leaseSeconds),
    release: (deliveries) => releaseDeliveries(db, deliveries),
  }
}

/** Never throws: whatever went wrong, the attempt has an outcome. */
async function attempt(deps: Deps, delivery: ClaimedDelivery, held: HeldLease): Promise<Sent> {
  const { check, senders, onError, timing = USUAL_TIMING } = deps
  let begun = false
  try {
    const checked = await check(delivery)
    if ('outcome' in checked) return checked
    if (held.leaseMsLeft() < timing.minLeaseMs)
      return { outcome: { type: 'retry', reason: 'worker_stalled', isOurFault: true } }
    begun = true
    return await senders[delivery.kind](checked.message, held.signal)
  } catch (error) {
    onError(error)
    return {
      outcome: begun
        ? { type: 'unknown', reason: 'internal' }
        : { type: 'retry', reason: 'internal', isOurFault: true },
    }
  }
}

/** Results that are ready at the same time are written in one transaction. */
function createRecorder({ db, onError }: Deps): (ended: Ended) => Promise<void> {
  const finish = async (ended: readonly Ended[]) => {
    await finishDeliveries(db, ended, Math.random)
    return ended.map(() => undefined)
  }
  const write = gather(finish, { waitMs: RECORD_DELAY_MS })
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

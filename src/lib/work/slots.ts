import { endsWithin } from '../async/race.ts'
import type { Db } from '../db/db.ts'
import type { Claim, Claimed, JobKind } from './job-kind.ts'
import { LeaseWatch, type Uptime } from './lease-watch.ts'

/** For the operator, who reads it in the log of a busy machine. */
const RENEWAL_UNANSWERED =
  'a renewal of leases was not answered in time; it is repeated, and no job is stopped unless that goes on until its lease ends'

type Deps = {
  readonly db: Pick<Db, 'listen'>
  readonly uptime: Uptime
  readonly onError: (kind: string, error: unknown) => void
}

/** How long jobs may take to end after they were aborted. A stop takes `drainSeconds` and this at most. */
const ABORT_SECONDS = 5

const FIRST_BACK_OFF_MS = 1_000
const MAX_BACK_OFF_MS = 60_000
/** Shortest wait after a claim that found less than it could take, so that a wrong due time cannot make it spin. */
const MIN_WAIT_MS = 100

/**
 * Runs jobs on slots until it is disposed. Each kind claims as many jobs as it has free slots: at the start, when it is
 * notified, when a slot becomes free, when the next job is due, and on its slow poll.
 *
 * A stop claims nothing more and gives back claims that were not begun. Running jobs may continue for `drainSeconds`,
 * with their leases renewed, and are then aborted. The stop resolves at the latest `ABORT_SECONDS` after that.
 */
export async function runSlots(kinds: readonly JobKind[], deps: Deps): Promise<AsyncDisposable> {
  const runners = kinds.map((kind) => new SlotRunner(kind, deps))
  const stop = async () => {
    await Promise.all(runners.map((runner) => runner.stop()))
  }
  const starts = await Promise.allSettled(runners.map((runner) => runner.start()))
  const failed = starts.find((start) => start.status === 'rejected')
  if (failed) {
    await stop()
    throw failed.reason
  }
  return { [Symbol.asyncDispose]: stop }
}

/** A job at work. Compared by identity: one process may hold two grants of one job, the former of them lost. */
type Running<Job extends Claim> = { readonly job: Job; readonly lease: LeaseWatch }

class SlotRunner<Job extends Claim> {
  readonly #kind: JobKind<Job>
  readonly #deps: Deps
  readonly #running = new Map<Running<Job>, Promise<void>>()
  #listening: AsyncDisposable | undefined
  #stopping = false
  #claiming: Promise<void> | undefined
  #isClaimWanted = false
  #claimTimer: NodeJS.Timeout | undefined
  #delayTimer: NodeJS.Timeout | undefined
  #claimedAt = Number.NEGATIVE_INFINITY
  #isMoreWaiting = true
  #failedClaims = 0
  #isBackingOff = false
  #renewTimer: NodeJS.Timeout | undefined

  constructor(kind: JobKind<Job>, deps: Deps) {
    this.#kind = kind
    this.#deps = deps
  }

  async start(): Promise<void> {
    const { wakeOn } = this.#kind
    if (wakeOn) {
      this.#listening = await this.#deps.db.listen(wakeOn, (payload) => {
        if (!this.#kind.onNotify?.(payload)) this.#wakeForNotification()
      })
    }
    this.#wake()
  }

  async stop(): Promise<void> {
    this.#stopping = true
    clearTimeout(this.#claimTimer)
    clearTimeout(this.#delayTimer)
    const unlistened = this.#unlisten()
    if (!(await endsWithin(this.#kind.drainSeconds * 1000, this.#idle()))) {
      for (const { lease } of this.#running.keys()) lease.abort(new Error('the process is stopping'))
      if (!(await endsWithin(ABORT_SECONDS * 1000, this.#idle()))) this.#reportUnended()
    }
    clearTimeout(this.#renewTimer)
    for (const { lease } of this.#running.keys()) lease.unwatch()
    await unlistened
  }

  async #unlisten(): Promise<void> {
    try {
      await this.#listening?.[Symbol.asyncDispose]()
    } catch (error) {
      this.#deps.onError(this.#kind.name, error)
    }
  }

  /** Claims now, or once more after the claim that is under way: that one may have looked before the new job was there. */
  #wake(): void {
    // After a failed claim only the timer claims again; notifications must not shorten the back-off.
    if (this.#stopping || this.#isBackingOff) return
    if (this.#claiming) {
      this.#isClaimWanted = true
      return
    }
    clearTimeout(this.#claimTimer)
    clearTimeout(this.#delayTimer)
    this.#delayTimer = undefined
    this.#claiming = this.#claim().finally(() => {
      this.#claiming = undefined
      if (!this.#isClaimWanted) return
      this.#isClaimWanted = false
      this.#wake()
    })
  }

  /** Claims when half of the slots are free, or when the wait for more of them is over, if there is more to claim. */
  #wakeForFreeSlot(): void {
    const { claimDelayMs = 0, slots } = this.#kind
    if (!this.#isMoreWaiting) return
    if (claimDelayMs === 0 || this.#running.size <= slots / 2) this.#wake()
    else this.#wakeIn(claimDelayMs)
  }

  /** Claims now if the last claim is long enough ago, so that notifications in quick succession share a claim. */
  #wakeForNotification(): void {
    const wait = this.#claimedAt + (this.#kind.claimDelayMs ?? 0) - this.#deps.uptime()
    if (wait > 0) this.#wakeIn(wait)
    else this.#wake()
  }

  #wakeIn(ms: number): void {
    this.#delayTimer ??= setTimeout(() => {
      this.#delayTimer = undefined
      this.#wake()
    }, ms).unref()
  }

  async #claim(): Promise<void> {
    const free = this.#kind.slots - this.#running.size
    // The next slot that becomes free claims.
    if (free <= 0) return
    const sentAt = this.#deps.uptime()
    this.#claimedAt = sentAt
    try {
      const claimed = await this.#kind.claim(free, { running: [...this.#running.keys()].map(({ job }) => job) })
      this.#failedClaims = 0
      this.#isMoreWaiting = claimed.isMoreWaiting ?? true
      if (this.#stopping) return await this.#release(claimed.jobs)
      for (const job of claimed.jobs) this.#begin(job, sentAt)
      if (claimed.jobs.length > free) throw new Error(`claimed ${claimed.jobs.length} jobs for ${free} slots`)
      this.#claimIn(this.#waitAfter(claimed))
    } catch (error) {
      this.#deps.onError(this.#kind.name, error)
      this.#isMoreWaiting = true
      this.#isBackingOff = true
      this.#claimIn(Math.min(FIRST_BACK_OFF_MS * 2 ** this.#failedClaims, MAX_BACK_OFF_MS))
      this.#failedClaims += 1
    }
  }

  #waitAfter({ nextInSeconds }: Claimed<Job>): number {
    const { pollSeconds } = this.#kind
    return Math.max(Math.min(nextInSeconds ?? pollSeconds, pollSeconds) * 1000, MIN_WAIT_MS)
  }

  #claimIn(ms: number): void {
    if (this.#stopping) return
    this.#claimTimer = setTimeout(() => {
      this.#isBackingOff = false
      this.#wake()
    }, ms)
    this.#claimTimer.unref()
  }

  async #release(jobs: readonly Job[]): Promise<void> {
    if (jobs.length > 0) await this.#kind.release(jobs)
  }

  #begin(job: Job, sentAt: number): void {
    const lease = new LeaseWatch(job.id, sentAt + this.#kind.leaseSeconds * 1000, this.#deps.uptime)
    const running = { job, lease }
    if (this.#running.size === 0) this.#renewIn(this.#kind.leaseSeconds / 3)
    this.#running.set(
      running,
      this.#run(running).finally(() => {
        lease.unwatch()
        this.#running.delete(running)
        if (this.#running.size === 0) clearTimeout(this.#renewTimer)
        this.#wakeForFreeSlot()
      }),
    )
  }

  async #run({ job, lease }: Running<Job>): Promise<void> {
    try {
      // A claim that was answered after its lease ended, because the process was paused meanwhile, is not begun.
      if (lease.leaseMsLeft() > 0) await this.#kind.run(job, lease)
    } catch (error) {
      this.#deps.onError(this.#kind.name, error)
    }
  }

  #renewIn(seconds: number): void {
    clearTimeout(this.#renewTimer)
    this.#renewTimer = setTimeout(() => void this.#renew(), seconds * 1000)
    this.#renewTimer.unref()
  }

  /** A renewal that fails or is not answered is tried again until the leases end; `LeaseWatch` then aborts the jobs. */
  async #renew(): Promise<void> {
    const { leaseSeconds, name } = this.#kind
    const jobs = [...this.#running.keys()].filter(({ lease }) => lease.leaseMsLeft() > 0)
    const sentAt = this.#deps.uptime()
    const renewed = this.#kind.renew(jobs.map(({ job }) => job)).then((claims) => {
      const grants = new Set(claims.map(grantOf))
      for (const running of jobs) {
        if (grants.has(grantOf(running.job))) running.lease.extend(sentAt + leaseSeconds * 1000)
        else if (this.#running.has(running)) running.lease.takenOver()
      }
    })
    let wait = leaseSeconds / 3
    try {
      if (!(await endsWithin((leaseSeconds * 1000) / 3, renewed))) throw new Error(RENEWAL_UNANSWERED)
    } catch (error) {
      this.#deps.onError(name, error)
      wait = leaseSeconds / 12
    }
    if (this.#running.size > 0) this.#renewIn(wait)
  }

  async #idle(): Promise<void> {
    while (this.#claiming || this.#running.size > 0) await Promise.all([this.#claiming, ...this.#running.values()])
  }

  #reportUnended(): void {
    const ids = [...this.#running.keys()].map(({ job }) => job.id)
    const jobs = ids.length > 0 ? `these jobs: ${ids.join(', ')}` : 'a claim'
    this.#deps.onError(this.#kind.name, new Error(`the stop did not wait longer for ${jobs}`))
  }
}

function grantOf({ id, fence }: Claim): string {
  return `${id} ${fence}`
}

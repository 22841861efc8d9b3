/** Identifies one grant of a job. The fence grows with every grant, so two grants of one job are never equal. */
export type Claim = { readonly id: string; readonly fence: number }

export type Claimed<Job extends Claim> = {
  readonly jobs: readonly Job[]
  /**
   * Seconds until the next job that is not claimable yet becomes due, measured by the database. A duration, because
   * the clocks of this process and of the database may differ. Absent or null when no job is planned.
   */
  readonly nextInSeconds?: number | null | undefined
  /**
   * False when no job is due any more, so that a slot that becomes free need not claim. Absent when the kind does not
   * know.
   */
  readonly isMoreWaiting?: boolean | undefined
}

/** The lease of a running job, as the job sees it. */
export type HeldLease = {
  /** Aborted when the lease is lost, when it could not be renewed in time, and when the drain time of a stop is over. */
  readonly signal: AbortSignal
  /**
   * Returns for how many milliseconds the lease certainly lasts, 0 once it is lost. Call it right before a step outside
   * the database that must not happen twice: after a pause of the process, code can run before `signal` is aborted.
   */
  leaseMsLeft(): number
}

/**
 * One kind of long work. The claims, their leases and their fences are in the kind's own table (or in `svc.leases`) and
 * use the database's clock only; `runSlots` does the rest.
 *
 * A job that ends, whether `run` returns or throws, is not renewed any more. `run` itself records the result, with the
 * fence in the `where` clause. A job whose `run` throws without recording anything becomes claimable when its lease has
 * run out, so it cannot be retried in a tight loop.
 */
export type JobKind<Job extends Claim = Claim> = {
  readonly name: string
  /** How many jobs of this kind the process runs at the same time. */
  readonly slots: number
  readonly leaseSeconds: number
  /**
   * How long a slot that became free may wait for others before they are filled by one claim, in milliseconds, and the
   * shortest time between two claims because of notifications. It saves claims where jobs are short and many. Left out,
   * each free slot and each notification claims at once.
   */
  readonly claimDelayMs?: number
  /** A NOTIFY on this channel claims, at once where `claimDelayMs` allows it. Two kinds may share a channel, for example to keep slots for first attempts. */
  readonly wakeOn?: string
  /**
   * Called with the payload of each notification, which is empty after notifications may have been lost. Returns whether
   * the notification is dealt with, because it concerned a job that runs here; then nothing is claimed.
   */
  onNotify?(payload: string): boolean
  /** The longest wait between two claims. It covers lost notifications and claims of processes that died. */
  readonly pollSeconds: number
  /** How long running jobs may continue after a stop began, before they are aborted. */
  readonly drainSeconds: number
  /**
   * Commits claims for at most `limit` jobs and returns them. `running` are the jobs this process still works at, also
   * those that lost their lease: a kind that does not want a job next to its own former run leaves them out.
   */
  claim(limit: number, context: { readonly running: readonly Job[] }): Promise<Claimed<Job>>
  run(job: Job, held: HeldLease): Promise<void>
  /** Extends the leases to `leaseSeconds` from now and returns those that are still held. */
  renew(jobs: readonly Job[]): Promise<readonly Claim[]>
  /** Gives back claims that were never run, so that another process can take them at once. */
  release(jobs: readonly Job[]): Promise<void>
}

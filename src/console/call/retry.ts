import { ServiceError } from '#contract/core/errors.ts'

const MAX_RETRIES = 2
const PASSING: ReadonlySet<string> = new Set(['UNAVAILABLE', 'TIMEOUT', 'RATE_LIMITED'])
const REREAD_MS = 15_000

/** Whether to try a read again at once: refusals stay refusals, a service that restarts is there again soon. */
export function retryRead(failures: number, error: unknown): boolean {
  return failures < MAX_RETRIES && error instanceof ServiceError && error.status === 503
}

/**
 * Returns when to read again what failed for a reason that passes. A page that was opened while the service restarted
 * fills itself, also its parts that show no fault.
 */
export function rereadMs(error: unknown): number | false {
  return error instanceof ServiceError && PASSING.has(error.code) && REREAD_MS
}

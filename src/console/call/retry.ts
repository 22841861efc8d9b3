import { ServiceError } from '#contract/core/errors.ts'

const MAX_RETRIES = 2

/** Whether to try a read again: refusals stay refusals, a service that restarts is there again soon. */
export function retryRead(failures: number, error: unknown): boolean {
  return failures < MAX_RETRIES && error instanceof ServiceError && error.status === 503
}

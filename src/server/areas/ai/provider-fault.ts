import { ServiceError } from '#contract/core/errors.ts'

const RETRY_AFTER_SECONDS = 10

/** What is no fault of the caller's. */
export function providerFault(name: string, what: string, cause?: unknown): ServiceError {
  const extras = { retryAfterSeconds: RETRY_AFTER_SECONDS, ...(cause !== undefined && { cause }) }
  return new ServiceError('UNAVAILABLE', `The AI provider ${name} ${what}.`, extras)
}

import { ServiceError } from '#contract/core/errors.ts'

const RETRY_AFTER_SECONDS = 10

/** Makes the error for a failure of the provider, which the caller did not cause. */
export function providerFault(name: string, what: string, cause?: unknown): ServiceError {
  const extras = { retryAfterSeconds: RETRY_AFTER_SECONDS, ...(cause !== undefined && { cause }) }
  return new ServiceError('UNAVAILABLE', `The AI provider ${name} ${what}.`, extras)
}

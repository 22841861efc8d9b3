import { ServiceError } from '#contract/core/errors.ts'

const RETRY_AFTER_SECONDS = 5

/** Makes the refusal for a change that needs to know the people of the organization. */
export function peopleUnknown({ isTemporary }: { isTemporary: boolean }): ServiceError {
  return isTemporary
    ? new ServiceError('UNAVAILABLE', 'The auth service does not answer. Try again.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      })
    : new ServiceError(
        'UNAVAILABLE',
        'The members of this organization are not known here. The operator must add a token of it to SVC_AUTH_API_TOKEN.',
      )
}

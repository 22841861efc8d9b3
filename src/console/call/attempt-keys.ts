import { ServiceError } from '#contract/core/errors.ts'

/** Makes the idempotency keys of one form or button. */
export function createAttemptKeys() {
  let failed: { readonly input: string; readonly key: string } | undefined
  const forget = () => {
    failed = undefined
  }
  return {
    /** Returns the key of the attempt with this input: that of the attempt before, if it failed with the same input. */
    keyFor: (input: unknown): string => {
      const text = JSON.stringify(input)
      if (failed?.input !== text) failed = { input: text, key: newKey() }
      return failed.key
    },
    onSuccess: forget,
    // The service refuses the key from now on and told the person to look first: to press again is a new attempt.
    onError: (error: unknown) => {
      if (error instanceof ServiceError && error.code === 'OUTCOME_UNKNOWN') forget()
    },
  }
}

/** `crypto.randomUUID` is missing on pages that are not served by HTTPS. */
function newKey(): string {
  return crypto.getRandomValues(new BigUint64Array(2)).join('-')
}

import { ServiceError } from '#contract/core/errors.ts'

/** Ignores that something exists already, from a start that was killed. */
export function ignoreConflict(error: unknown): void {
  if (!(error instanceof ServiceError && error.code === 'CONFLICT')) throw error
}

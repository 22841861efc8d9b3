import { type Fault, ServiceError } from '#contract/core/errors.ts'

const MAX_FAULTS = 100
const MAX_FAULTS_IN_TEXT = 3
const MAX_SHOWN_PATH = 200

/** Makes the refusal of a revision. `path` of a fault names the entry of the archive or the key of the input. */
export function invalidRevision(faults: readonly Fault[]): ServiceError {
  const errors = faults.slice(0, MAX_FAULTS).map(({ path, message }) => ({ path: shorten(path), message }))
  const shown = errors.slice(0, MAX_FAULTS_IN_TEXT).map(({ path, message }) => `${path}: ${message}`)
  const rest = faults.length > shown.length ? ` (and ${faults.length - shown.length} more)` : ''
  return new ServiceError('INVALID_REVISION', `${shown.join('; ')}${rest}`, { errors })
}

function shorten(path: string): string {
  return path.length <= MAX_SHOWN_PATH ? path : `${path.slice(0, MAX_SHOWN_PATH)}…`
}

import { CommanderError } from 'commander'
import { ERRORS, type ErrorCode, ServiceError } from '#contract/errors.ts'
import { printable } from './output.ts'

export const INTERRUPTED = 130

/** What to do next, where the refusal itself does not say. */
const HINTS: Partial<Record<ErrorCode, string>> = {
  INVALID_TOKEN: 'Log in: svc login --api-url <url> --api-key <key>',
  FORBIDDEN: 'Ask an admin of your organization for the role, or take another login: svc context use <name>',
  READ_ONLY_SESSION: 'Take a login that may change things: svc context use <name>',
  NOT_FOUND: 'Check the name: the list command beside it shows what there is.',
  INVALID_REQUEST: 'Add --help to the command to see what it takes.',
  CONFLICT: 'Nothing was changed. Look at the present state, then decide.',
  RATE_LIMITED: 'Wait a little, then try again.',
  UNAVAILABLE: 'Check the address and the service: svc status',
  TIMEOUT: 'Try again. Whether the service answers at all: svc status',
  INTERNAL: 'Try again; if it stays, tell whoever runs this instance.',
}

/** Prints why a command failed and gives its exit code, which comes from the table of errors alone. */
export function reportError(error: unknown, note: (line: string) => void): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : ERRORS.INVALID_REQUEST.exit
  const known = error instanceof ServiceError ? error : toServiceError(error)
  note(`svc: ${printable(known.message)}`)
  for (const fault of known.errors ?? []) note(`  ${printable(`${fault.path}: ${fault.message}`)}`)
  const hint = hintFor(known)
  if (hint) note(hint)
  return ERRORS[known.code].exit
}

function hintFor(error: ServiceError): string | undefined {
  return error.retryAfterSeconds === undefined ? HINTS[error.code] : `Try again in ${error.retryAfterSeconds} s.`
}

function toServiceError(error: unknown): ServiceError {
  if (error instanceof Error && error.name === 'ZodError') {
    const detail = 'the answer has a shape this version of svc does not know: update svc, or check the address'
    return new ServiceError('UNAVAILABLE', detail, { cause: error })
  }
  const detail = error instanceof Error ? error.message : String(error)
  return new ServiceError('INTERNAL', `unexpected: ${detail}`, { cause: error })
}

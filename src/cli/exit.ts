import { ERRORS, type ErrorCode, ServiceError } from '#contract/core/errors.ts'
import { HintedError } from './hinted-error.ts'
import { toJson } from './output.ts'
import { printable } from './printable.ts'

export const INTERRUPTED = 130

/** Interrupted by Ctrl-C, or a question answered with no (exit 130). Prints nothing: the person knows already. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

/** The next step to suggest for each error code. A `HintedError` brings its own. */
const HINTS: Partial<Record<ErrorCode, string>> = {
  INVALID_TOKEN: 'Log in: svc login --api-url <url> --api-key-stdin',
  FORBIDDEN: 'Ask an admin of your organization for the role, or take another login: svc context use <name>',
  READ_ONLY_SESSION: 'Take a login that may change things: svc context use <name>',
  NOT_FOUND: 'Check the name: the list command beside it shows what there is.',
  INVALID_REQUEST: 'Add --help to the command to see what it takes.',
  CONFLICT: 'Nothing was changed. Look at the present state, then decide.',
  RATE_LIMITED: 'Wait a little, then try again.',
  UNAVAILABLE: 'Check that it runs and that the address is right (svc status shows it), then try again.',
  TIMEOUT: 'Try again, or allow more time with --timeout. Whether the service answers at all: svc status',
  INTERNAL: 'Try again; if it stays, tell whoever runs this instance.',
}

/** Prints why a command failed and returns its exit code, which depends on the error's code alone. */
export function reportError(error: unknown, format: 'text' | 'json', note: (line: string) => void): number {
  if (error instanceof Interrupted) return INTERRUPTED
  const known = error instanceof ServiceError ? error : toServiceError(error)
  for (const line of format === 'json' ? [toJson(toDocument(known))] : toLines(known)) note(line)
  return ERRORS[known.code].exit
}

function toLines(error: ServiceError): string[] {
  const faults = (error.errors ?? []).map((fault) => `  ${printable(`${fault.path}: ${fault.message}`)}`)
  const hint = hintFor(error)
  // Only for faults of the server: its operator finds them in the log by this id.
  const id = error.requestId !== undefined && error.status >= 500 ? [`Request id: ${printable(error.requestId)}`] : []
  return [`svc: ${printable(error.message)}`, ...faults, ...(hint ? [hint] : []), ...id]
}

/** The error as a document for programs. It goes to stderr, so that stdout holds answers only. */
function toDocument(error: ServiceError): object {
  const { code, message, errors, retryAfterSeconds, requestId } = error
  const known = { code, detail: message, errors, retry_after_seconds: retryAfterSeconds, request_id: requestId }
  return { error: { ...known, hint: hintFor(error), exit_code: ERRORS[code].exit } }
}

function hintFor(error: ServiceError): string | undefined {
  if (error instanceof HintedError) return error.hint
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

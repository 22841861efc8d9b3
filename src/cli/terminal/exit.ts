import { ERRORS, type ErrorCode, ServiceError } from '#contract/core/errors.ts'
import { secondsText } from '#contract/core/seconds-text.ts'
import type { Cli, Command } from '../command/command.ts'
import type { Config } from '../command/config.ts'
import { typedName } from '../command/field-names.ts'
import { HintedError, localError } from '../command/hinted-error.ts'
import { toJson } from './output.ts'
import { printable } from './printable.ts'

export const INTERRUPTED = 130

/** Interrupted by Ctrl-C, or a confirmation that was declined (exit 130). Prints nothing: the person knows already. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

/** The command worked, but what it reported is a failure, such as a failed deploy. Prints nothing more. */
export class Unsuccessful extends Error {
  override readonly name = 'Unsuccessful'
  readonly exit: number

  constructor(exit: number = ERRORS.INTERNAL.exit) {
    super()
    this.exit = exit
  }
}

type Program = Config['program']

/** The next step to suggest for each error code. A `HintedError` brings its own. */
const HINTS: Partial<Record<ErrorCode, string | ((program: Program) => string)>> = {
  INVALID_TOKEN: (program) => `Log in: ${program} login --api-url <url> --api-key-stdin`,
  FORBIDDEN: (program) => `Ask an owner of your organization, or use another login: ${program} context use <name>`,
  READ_ONLY_SESSION: (program) => `Use a login that can make changes: ${program} context use <name>`,
  NOT_FOUND: 'Check the name. The list command shows what exists.',
  INVALID_REQUEST: 'Add --help to the command to see what it takes.',
  CONFLICT: 'Nothing was changed. Check the current state first.',
  RATE_LIMITED: 'Wait a little, then try again.',
  UNAVAILABLE: (program) => `Check the address with ${program} status, then try again.`,
  TIMEOUT: 'Try again, or allow more time with --timeout.',
  INTERNAL: 'Try again. If it happens again, tell the operator of this instance.',
}

/** Where an error is printed, and the command that its hints name. */
type Output = { readonly note: Cli['note']; readonly config: Pick<Config, 'program'> }

/** Prints why a command failed and returns its exit code, which depends on the error's code alone. */
export function reportError(
  error: unknown,
  format: 'text' | 'json',
  { note, config }: Output,
  command?: Command,
): number {
  if (error instanceof Interrupted) return INTERRUPTED
  if (error instanceof Unsuccessful) return error.exit
  const serviceError = error instanceof ServiceError ? error : toServiceError(error, config.program)
  const hint = hintFor(serviceError, config.program)
  const lines = format === 'json' ? [toJson(toDocument(serviceError, hint))] : toLines(serviceError, hint, command)
  for (const line of lines) note(line)
  return ERRORS[serviceError.code].exit
}

/** Names fields as the person typed them. JSON keeps the paths of the API, which programs compare. */
function toLines(error: ServiceError, hint: string | undefined, command: Command | undefined): string[] {
  const faults = (error.errors ?? []).map(({ path, message }) => ({
    path,
    name: command ? typedName(path, command) : path,
    message,
  }))
  const detail = faults.reduce(
    (text, { path, name, message }) => text.replace(`${path}: ${message}`, () => `${name}: ${message}`),
    error.message,
  )
  const listed = faults.map(({ name, message }) => `  ${printable(`${name}: ${message}`)}`)
  // Shown only for errors of the server: its operator finds them in the log by this id.
  const id = error.requestId !== undefined && error.status >= 500 ? [`Request id: ${printable(error.requestId)}`] : []
  return [`svc: ${printable(detail)}`, ...listed, ...(hint ? [hint] : []), ...id]
}

/** Returns the error as a document for programs. It is printed to stderr, so that stdout holds only results. */
function toDocument(error: ServiceError, hint: string | undefined): object {
  const { code, message, errors, retryAfterSeconds, requestId } = error
  const fields = { code, detail: message, errors, retry_after_seconds: retryAfterSeconds, request_id: requestId }
  return { error: { ...fields, hint, exit_code: ERRORS[code].exit } }
}

function hintFor(error: ServiceError, program: Program): string | undefined {
  if (error instanceof HintedError) return error.hint
  if (error.retryAfterSeconds === undefined) {
    const hint = HINTS[error.code]
    return typeof hint === 'function' ? hint(program) : hint
  }
  // Some messages name the time to wait already.
  if (error.message.includes('Try again in')) return undefined
  return `Try again in ${secondsText(error.retryAfterSeconds)}.`
}

function toServiceError(error: unknown, program: Program): ServiceError {
  if (error instanceof Error && error.name === 'ZodError') {
    const detail = 'This version of svc does not understand the answer. Update svc, or check the address.'
    return new ServiceError('UNAVAILABLE', detail, { cause: error })
  }
  const detail = error instanceof Error ? error.message : String(error)
  const hint = `This happened on this machine, not in the instance. If it happens again, report it with the command and ${program} version.`
  return localError(`Unexpected error in the client: ${detail}`, error, hint)
}

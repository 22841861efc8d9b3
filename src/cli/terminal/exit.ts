import { ERRORS, ServiceError } from '#contract/core/errors.ts'
import type { Cli, Command } from '../command/command.ts'
import type { Config } from '../command/config.ts'
import { typedName } from '../command/field-names.ts'
import { localError } from '../command/hinted-error.ts'
import { hintFor } from './hints.ts'
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

/** Names fields as the person typed them, and lists those that the sentence itself does not name. JSON keeps the paths of the API, which programs compare. */
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
  const listed = faults
    .filter(({ name, message }) => !detail.includes(message.endsWith('.') ? message : `${name}: ${message}`))
    .map(({ name, message }) => `  ${printable(`${name}: ${message}`)}`)
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

function toServiceError(error: unknown, program: Program): ServiceError {
  if (error instanceof Error && error.name === 'ZodError') {
    const detail = 'This version of svc does not understand the answer. Update svc, or check the address.'
    return new ServiceError('UNAVAILABLE', detail, { cause: error })
  }
  const detail = error instanceof Error ? error.message : String(error)
  const hint = `This happened on this machine, not in the instance. If it happens again, report it with the command and ${program} version.`
  return localError(`Unexpected error in the client: ${detail}`, error, hint)
}

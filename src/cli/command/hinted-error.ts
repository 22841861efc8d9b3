import { type ErrorCode, ServiceError } from '#contract/core/errors.ts'

/** Text, or a function of the command that people type to run the client. Undefined prints no hint. */
type Hint = string | ((program: string) => string) | undefined

/** An error with its own hint about what to do next, instead of the default hint for its code. */
export class HintedError extends ServiceError {
  readonly hint: Hint

  constructor(code: ErrorCode, detail: string, hint: Hint, cause?: unknown) {
    super(code, detail, { cause })
    this.hint = hint
  }
}

/** An error of this machine, such as a file that cannot be read. The instance has no part in it. */
export function localError(detail: string, cause: unknown, hint = 'Correct this on this machine.'): HintedError {
  return new HintedError('INTERNAL', detail, hint, cause)
}

/** The command line cannot be used as it was typed. */
export function usageError(detail: string): ServiceError {
  return new ServiceError('INVALID_REQUEST', detail)
}

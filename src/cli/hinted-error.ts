import { type ErrorCode, ServiceError } from '#contract/core/errors.ts'

/** An error with its own hint about what to do next, instead of the default hint for its code. */
export class HintedError extends ServiceError {
  readonly hint: string

  constructor(code: ErrorCode, detail: string, hint: string) {
    super(code, detail)
    this.hint = hint
  }
}

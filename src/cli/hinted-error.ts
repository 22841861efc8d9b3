import { type ErrorCode, ServiceError } from '#contract/core/errors.ts'

/** An error that knows what to do next better than the table of hints, which knows only the code. */
export class HintedError extends ServiceError {
  readonly hint: string

  constructor(code: ErrorCode, detail: string, hint: string) {
    super(code, detail)
    this.hint = hint
  }
}

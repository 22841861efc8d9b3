import type { ServiceError } from '#contract/core/errors.ts'
import type { Context } from '../route/route.ts'

export type McpCall = {
  readonly context: Context
  /** Answers the HTTP request with this error, in place of a JSON-RPC error. */
  readonly refuse: (error: ServiceError) => void
  /** Called when the library has found a tool call to be right and runs it. */
  readonly onToolCalled: () => void
}

/** The result of a tool: its output as JSON, or the text of an error that a model can correct. */
export type ToolAnswer = { readonly text: string; readonly output?: Record<string, unknown>; readonly isError: boolean }

/** A JSON-RPC error, for calls that a model cannot correct with other arguments. */
export class ProtocolFault extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

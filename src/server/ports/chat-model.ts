import { type ErrorCode, ServiceError } from '#contract/core/errors.ts'

/** A tool call that a model asks for. `arguments` is the JSON text that it wrote, which need not be valid JSON. */
export type ChatToolCall = { readonly id: string; readonly name: string; readonly arguments: string }

export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly toolCalls?: readonly ChatToolCall[] }
  /** The result of a tool call. */
  | { readonly role: 'tool'; readonly callId: string; readonly text: string }

type Schema = { readonly [key: string]: unknown }

type ChatTool = { readonly name: string; readonly description?: string; readonly parameters: Schema }

export type ChatRequest = {
  readonly messages: readonly ChatMessage[]
  readonly tools?: readonly ChatTool[]
  /** `auto` by default. */
  readonly toolChoice?: 'auto' | 'none' | 'required' | { readonly name: string }
  /** The answer's text is then JSON that the provider was asked to fit to this schema. The caller checks it. */
  readonly answerSchema?: { readonly name: string; readonly schema: Schema; readonly strict?: boolean }
  /** Most tokens that the provider may generate. */
  readonly maxOutputTokens: number
  readonly temperature?: number
  readonly topP?: number
  readonly stop?: readonly string[]
}

export type ChatStopReason = 'stop' | 'length' | 'tool_calls' | 'content_filter'

export type ChatUsage = { readonly inputTokens: number; readonly outputTokens: number }

export type ChatAnswer = {
  readonly text: string
  readonly toolCalls: readonly ChatToolCall[]
  readonly stopReason: ChatStopReason
  /** Undefined if the provider did not report it. The call then costs `mostTokens`. */
  readonly usage: ChatUsage | undefined
}

/** US dollars for a million tokens. */
export type ModelPrice = { readonly input: number; readonly output: number }

/** One model of one provider. */
export type ChatModel = {
  /** `provider/model` */
  readonly name: string
  /** Undefined if the operator did not configure it. */
  readonly price?: ModelPrice | undefined
  /** Most tokens that the call can cost: one for each byte that is sent to the provider, and the output limit. */
  mostTokens(request: ChatRequest): number
  /**
   * Calls the model once, without retries after the provider may have begun to work. There is no limit for the whole
   * call below an hour, only for the time in which the provider is silent. Failures are ChatModelErrors.
   */
  call(request: ChatRequest, signal: AbortSignal): Promise<ChatAnswer>
}

/** Returns undefined if no chat model of this name is configured. */
export type FindChatModel = (name: string) => ChatModel | undefined

/** A call that failed. Its message never contains text of the conversation or of the provider. */
export class ChatModelError extends ServiceError {
  /** False if the provider certainly did no work, so that the call cost nothing. */
  readonly mayHaveCost: boolean

  constructor(
    code: ErrorCode,
    detail: string,
    { mayHaveCost, ...extras }: { mayHaveCost: boolean; cause?: unknown; retryAfterSeconds?: number },
  ) {
    super(code, detail, extras)
    this.mayHaveCost = mayHaveCost
  }
}

/** Returns the tokens that a call has cost: what the provider reported, or the most it can be. */
export function servedTokens({ usage }: Pick<ChatAnswer, 'usage'>, mostTokens: number): number {
  return usage ? usage.inputTokens + usage.outputTokens : mostTokens
}

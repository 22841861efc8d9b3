import { ServiceError } from '#contract/core/errors.ts'
import { tryParseJson } from '#lib/json.ts'
import type { ChatRequest, ChatUsage } from '#ports/chat-model.ts'
import type { ChatEvent } from './events.ts'

/** How one kind of provider is spoken to. All of it is pure. */
export type Wire = {
  readonly path: string
  headers(apiKey: string | undefined): Record<string, string>
  /** Returns the JSON body of a streamed call. Throws INVALID_REQUEST for what this kind of provider cannot do. */
  body(model: string, request: ChatRequest): object
  /** Tokens that the provider adds to a request by itself, at most. */
  addedTokens(request: ChatRequest): number
  /** Returns a reader for the events of one answer. */
  reader(request: ChatRequest): AnswerReader
}

/** Reads the data of one server-sent event after the other. Throws UnreadableAnswer. */
export type AnswerReader = {
  read(data: string): ChatEvent[]
  /** Called after the last event. Returns undefined if the answer is not complete. */
  end(): Extract<ChatEvent, { type: 'end' }> | undefined
}

/** The provider sent something that is not its protocol, or reported a failure in the middle of its answer. */
export class UnreadableAnswer extends Error {
  override readonly name = 'UnreadableAnswer'
}

export function parseData(data: string): unknown {
  const value = tryParseJson(data)
  if (value === undefined) throw new UnreadableAnswer('sent an answer that cannot be read')
  return value
}

/** Far more than any model reads and writes in one call. */
const MAX_TOKENS = 100_000_000

/**
 * Returns undefined for a usage of nothing, which some servers send although no request has no tokens, and for one that
 * cannot be true: a few of those would be more than the sums can hold.
 */
export function toUsage(inputTokens: number, outputTokens: number): ChatUsage | undefined {
  const tokens = inputTokens + outputTokens
  return tokens === 0 || tokens > MAX_TOKENS ? undefined : { inputTokens, outputTokens }
}

/** Most tool calls of one answer. Callers run far fewer, and each is sent back with the next request. */
export const MAX_TOOL_CALLS = 1_000

export function refuseTooManyCalls(count: number): void {
  if (count > MAX_TOOL_CALLS) throw new UnreadableAnswer('sent an answer with too many tool calls')
}

export function invalidRequest(detail: string): ServiceError {
  return new ServiceError('INVALID_REQUEST', detail)
}

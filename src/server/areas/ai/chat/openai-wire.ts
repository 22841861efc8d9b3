import { z } from 'zod'
import type { ChatMessage, ChatRequest, ChatStopReason, ChatUsage } from '#ports/chat-model.ts'
import type { ChatEvent } from './events.ts'
import {
  type AnswerReader,
  MAX_TOOL_CALLS,
  parseData,
  refuseTooManyCalls,
  toUsage,
  UnreadableAnswer,
  type Wire,
} from './wire.ts'

/** Name of the output limit in a request. Newer models of OpenAI refuse `max_tokens`; many other servers know only it. */
type OutputLimitKey = 'max_tokens' | 'max_completion_tokens'

/** Chat completions of OpenAI, which most providers and model servers support. */
export function openAiWire(outputLimitKey: OutputLimitKey): Wire {
  return {
    path: '/chat/completions',
    headers: (apiKey): Record<string, string> => (apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
    body: (model, request) => toBody(model, request, outputLimitKey),
    addedTokens: () => 0,
    reader: () => new OpenAiReader(),
  }
}

function toBody(model: string, request: ChatRequest, outputLimitKey: OutputLimitKey): object {
  const { messages, tools, toolChoice, answerSchema, temperature, topP, stop } = request
  return {
    model,
    messages: messages.map(toMessage),
    ...(tools && { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
    ...(tools && toolChoice && { tool_choice: toToolChoice(toolChoice) }),
    ...(answerSchema && { response_format: { type: 'json_schema', json_schema: answerSchema } }),
    [outputLimitKey]: request.maxOutputTokens,
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(stop && { stop }),
    stream: true,
    stream_options: { include_usage: true },
  }
}

function toMessage(message: ChatMessage): object {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.callId, content: message.text }
  if (message.role !== 'assistant') return { role: message.role, content: message.text }
  const calls = message.toolCalls ?? []
  if (calls.length === 0) return { role: 'assistant', content: message.text }
  return {
    role: 'assistant',
    content: message.text === '' ? null : message.text,
    tool_calls: calls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: call.arguments },
    })),
  }
}

function toToolChoice(choice: NonNullable<ChatRequest['toolChoice']>): unknown {
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.name } }
}

const Count = z.int().min(0)
const ToolCall = z.object({
  index: Count.max(1000).nullish(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
})
const Choice = z.object({
  delta: z
    .object({
      content: z.string().nullish(),
      refusal: z.string().nullish(),
      tool_calls: z.array(z.unknown()).max(MAX_TOOL_CALLS).pipe(z.array(ToolCall)).nullish(),
    })
    .nullish(),
  finish_reason: z.string().nullish(),
})
// Lists are cut before their items are read: to check a million of them would stop the process for seconds.
const Chunk = z.object({
  error: z.unknown().optional(),
  choices: z
    .array(z.unknown())
    .default([])
    .transform((choices) => choices.slice(0, 1))
    .pipe(z.array(Choice)),
  usage: z
    .object({ prompt_tokens: Count, completion_tokens: Count.default(0), total_tokens: Count.optional() })
    .nullish()
    .catch(undefined),
})
type Chunk = z.output<typeof Chunk>
type ToolCallDelta = NonNullable<NonNullable<Chunk['choices'][number]['delta']>['tool_calls']>[number]

const STOP_REASONS: Record<string, ChatStopReason> = {
  length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
}

class OpenAiReader implements AnswerReader {
  #finish: string | undefined
  #usage: ChatUsage | undefined
  /** Index of a call at the provider, in the order of our own indexes. */
  readonly #calls: number[] = []

  read(data: string): ChatEvent[] {
    if (data === '[DONE]') return []
    const { success, data: chunk } = Chunk.safeParse(parseData(data))
    if (!success) throw new UnreadableAnswer('sent an answer that cannot be read')
    if (chunk.error !== undefined && chunk.error !== null)
      throw new UnreadableAnswer('failed in the middle of its answer')
    if (chunk.usage) this.#usage = readUsage(chunk.usage) ?? this.#usage
    const [choice] = chunk.choices
    if (!choice) return []
    this.#finish = choice.finish_reason ?? this.#finish
    const text = `${choice.delta?.content ?? ''}${choice.delta?.refusal ?? ''}`
    const calls = (choice.delta?.tool_calls ?? []).flatMap((call) => this.#readCall(call))
    return [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...calls]
  }

  /** Some servers send no index, and each call as a whole; then an id begins a call. */
  #readCall(delta: ToolCallDelta): ChatEvent[] {
    const place = delta.index ?? (delta.id ? this.#calls.length : (this.#calls.at(-1) ?? 0))
    const existingIndex = this.#calls.indexOf(place)
    const index = existingIndex === -1 ? this.#calls.push(place) - 1 : existingIndex
    refuseTooManyCalls(this.#calls.length)
    const begin = { type: 'tool_call' as const, index, id: delta.id ?? '', name: delta.function?.name ?? '' }
    if (existingIndex === -1 && (begin.id === '' || begin.name === '')) {
      throw new UnreadableAnswer('sent an answer that cannot be read')
    }
    const text = delta.function?.arguments ?? ''
    return [
      ...(existingIndex === -1 ? [begin] : []),
      ...(text === '' ? [] : [{ type: 'arguments' as const, index, text }]),
    ]
  }

  end(): Extract<ChatEvent, { type: 'end' }> | undefined {
    if (this.#finish === undefined) return undefined
    // Some servers answer `stop` after tool calls.
    const other = this.#calls.length > 0 ? 'tool_calls' : 'stop'
    return { type: 'end', stopReason: STOP_REASONS[this.#finish] ?? other, usage: this.#usage }
  }
}

/** Some servers count hidden output only in the total. */
function readUsage(usage: NonNullable<Chunk['usage']>): ChatUsage | undefined {
  const { prompt_tokens, completion_tokens, total_tokens = 0 } = usage
  return toUsage(prompt_tokens, Math.max(completion_tokens, total_tokens - prompt_tokens))
}

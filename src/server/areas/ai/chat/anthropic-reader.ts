import { z } from 'zod'
import type { ChatStopReason } from '#ports/chat-model.ts'
import type { ChatEvent } from './events.ts'
import { type AnswerReader, parseData, refuseTooManyCalls, toUsage, UnreadableAnswer } from './wire.ts'

const Count = z.int().min(0)
const Usage = z.object({
  input_tokens: Count.nullish(),
  cache_creation_input_tokens: Count.nullish(),
  cache_read_input_tokens: Count.nullish(),
  output_tokens: Count.nullish(),
})

/** Events and deltas of other types (ping, thinking, citations, …) carry nothing that is passed on. */
const Event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message_start'), message: z.object({ usage: Usage }) }),
  z.object({
    type: z.literal('content_block_start'),
    index: Count,
    content_block: z.object({ type: z.string(), id: z.string().optional(), name: z.string().optional() }),
  }),
  z.object({
    type: z.literal('content_block_delta'),
    index: Count,
    delta: z.object({ type: z.string(), text: z.string().optional(), partial_json: z.string().optional() }),
  }),
  z.object({ type: z.literal('content_block_stop'), index: Count }),
  z.object({
    type: z.literal('message_delta'),
    delta: z.object({ stop_reason: z.string().nullish() }),
    usage: Usage.optional(),
  }),
  z.object({ type: z.literal('error') }),
])
type Event = z.output<typeof Event>
const KNOWN_TYPES = new Set<unknown>(Event.options.map((option) => option.shape.type.value))

const STOP_REASONS: Record<string, ChatStopReason> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
}

/** A block of the answer that is a tool call, or the answer itself as the call of the answer tool. */
type ToolBlock = { readonly call: number | 'answer'; isEmpty: boolean }

export class AnthropicReader implements AnswerReader {
  readonly #answerTool: string | undefined
  readonly #blocks = new Map<number, ToolBlock>()
  #calls = 0
  #stopReason: string | undefined
  readonly #usage = { input: undefined as number | undefined, output: undefined as number | undefined }

  /** The input of the tool `answerTool` is the text of the answer. */
  constructor(answerTool: string | undefined) {
    this.#answerTool = answerTool
  }

  read(data: string): ChatEvent[] {
    const value = parseData(data)
    const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined
    if (typeof type === 'string' && !KNOWN_TYPES.has(type)) return []
    const { success, data: event } = Event.safeParse(value)
    if (!success) throw new UnreadableAnswer('sent an answer that cannot be read')
    return this.#readEvent(event)
  }

  #readEvent(event: Event): ChatEvent[] {
    switch (event.type) {
      case 'message_start':
        this.#count(event.message.usage)
        return []
      case 'content_block_start':
        return event.content_block.type === 'tool_use' ? this.#startTool(event.index, event.content_block) : []
      case 'content_block_delta':
        return event.delta.type === 'text_delta' ? textEvents(event.delta.text) : this.#addInput(event)
      case 'content_block_stop':
        return this.#stopBlock(event.index)
      case 'message_delta':
        if (event.usage) this.#count(event.usage)
        this.#stopReason = event.delta.stop_reason ?? this.#stopReason
        return []
      case 'error':
        throw new UnreadableAnswer('failed in the middle of its answer')
      default:
        throw event satisfies never
    }
  }

  #startTool(block: number, { id, name }: { id?: string | undefined; name?: string | undefined }): ChatEvent[] {
    if (id === undefined || name === undefined) throw new UnreadableAnswer('sent an answer that cannot be read')
    if (name === this.#answerTool) {
      this.#blocks.set(block, { call: 'answer', isEmpty: true })
      return []
    }
    const index = this.#calls++
    refuseTooManyCalls(this.#calls)
    this.#blocks.set(block, { call: index, isEmpty: true })
    return [{ type: 'tool_call', index, id, name }]
  }

  #addInput({ index, delta }: Extract<Event, { type: 'content_block_delta' }>): ChatEvent[] {
    const block = this.#blocks.get(index)
    if (delta.type !== 'input_json_delta' || !delta.partial_json || !block) return []
    block.isEmpty = false
    return inputEvents(block, delta.partial_json)
  }

  /** A call without arguments has no delta, but its arguments are an empty object. */
  #stopBlock(index: number): ChatEvent[] {
    const block = this.#blocks.get(index)
    return block?.isEmpty ? inputEvents(block, '{}') : []
  }

  /** Counts are running totals: a later one replaces the one before. */
  #count(usage: z.output<typeof Usage>): void {
    if (typeof usage.input_tokens === 'number') {
      const cached = (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0)
      this.#usage.input = usage.input_tokens + cached
    }
    this.#usage.output = usage.output_tokens ?? this.#usage.output
  }

  end(): Extract<ChatEvent, { type: 'end' }> | undefined {
    if (this.#stopReason === undefined) return undefined
    const { input, output } = this.#usage
    const usage = input === undefined || output === undefined ? undefined : toUsage(input, output)
    const stopReason = STOP_REASONS[this.#stopReason] ?? 'stop'
    const isAnswer = stopReason === 'tool_calls' && this.#calls === 0
    return { type: 'end', stopReason: isAnswer ? 'stop' : stopReason, usage }
  }
}

function textEvents(text = ''): ChatEvent[] {
  return text === '' ? [] : [{ type: 'text', text }]
}

function inputEvents({ call }: ToolBlock, text: string): ChatEvent[] {
  return call === 'answer' ? [{ type: 'text', text }] : [{ type: 'arguments', index: call, text }]
}

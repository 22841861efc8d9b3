import type { z } from 'zod'
import { type createChatCompletion, DEFAULT_OUTPUT_TOKENS } from '#contract/chat-completions.ts'
import type { ChatAnswer, ChatMessage, ChatRequest, ChatUsage } from '#ports/chat-model.ts'
import type { ChatEvent } from './events.ts'

type Input = z.output<(typeof createChatCompletion)['input']>
type Message = Input['messages'][number]

/** Translates a request in the shape of OpenAI. */
export function toChatRequest(input: Input): ChatRequest {
  const { tools, tool_choice, temperature, top_p, stop } = input
  const answerSchema = toAnswerSchema(input.response_format)
  return {
    messages: input.messages.map(toMessage),
    ...(tools && { tools: tools.map(toTool) }),
    ...(tool_choice && { toolChoice: typeof tool_choice === 'string' ? tool_choice : tool_choice.function }),
    ...(answerSchema && { answerSchema }),
    maxOutputTokens: input.max_completion_tokens ?? input.max_tokens ?? DEFAULT_OUTPUT_TOKENS,
    ...(typeof temperature === 'number' && { temperature }),
    ...(typeof top_p === 'number' && { topP: top_p }),
    ...(stop && { stop: typeof stop === 'string' ? [stop] : stop }),
  }
}

function toMessage(message: Message): ChatMessage {
  const text = toText(message.content)
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', text }
    case 'user':
      return { role: 'user', text }
    case 'tool':
      return { role: 'tool', callId: message.tool_call_id, text }
    case 'assistant': {
      const toolCalls = message.tool_calls?.map(({ id, function: call }) => ({ id, ...call }))
      return { role: 'assistant', text, ...(toolCalls && { toolCalls }) }
    }
    default:
      throw message satisfies never
  }
}

function toText(content: Message['content']): string {
  if (content === null || content === undefined) return ''
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('')
}

function toTool({ function: tool }: NonNullable<Input['tools']>[number]): NonNullable<ChatRequest['tools']>[number] {
  const { name, description, parameters = { type: 'object', properties: {} } } = tool
  return { name, ...(description !== undefined && { description }), parameters }
}

function toAnswerSchema(format: Input['response_format']): ChatRequest['answerSchema'] {
  if (!format || format.type === 'text') return undefined
  if (format.type === 'json_object') return { name: 'answer', schema: { type: 'object' } }
  const { name, schema, strict } = format.json_schema
  return { name, schema, ...(typeof strict === 'boolean' && { strict }) }
}

/** Fields that are the same in all parts of one answer. */
export type CompletionHead = { readonly id: string; readonly created: number; readonly model: string }

export function toCompletion(head: CompletionHead, { text, toolCalls, stopReason, usage }: ChatAnswer): object {
  const calls = toolCalls.map(({ id, name, arguments: written }) => ({
    id,
    type: 'function',
    function: { name, arguments: written },
  }))
  const message = {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  return {
    ...head,
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: stopReason }],
    ...(usage && { usage: toUsage(usage) }),
  }
}

/** One event of the answer as the chunks of a stream. The first event of a stream also says who answers. */
export function toChunks(
  head: CompletionHead,
  event: ChatEvent,
  { isFirst, includeUsage }: { isFirst: boolean; includeUsage: boolean },
): object[] {
  const chunk = (choices: object[], usage?: object) => ({
    ...head,
    object: 'chat.completion.chunk',
    choices,
    ...(includeUsage && { usage: usage ?? null }),
  })
  const delta = (content: object, finish_reason: string | null = null) =>
    chunk([{ index: 0, delta: content, logprobs: null, finish_reason }])
  const first = isFirst ? [delta({ role: 'assistant', content: '' })] : []
  if (event.type !== 'end') return [...first, delta(toDelta(event))]
  const last = includeUsage && event.usage ? [chunk([], toUsage(event.usage))] : []
  return [...first, delta({}, event.stopReason), ...last]
}

function toDelta(event: Exclude<ChatEvent, { type: 'end' }>): object {
  switch (event.type) {
    case 'text':
      return { content: event.text }
    case 'tool_call': {
      const { index, id, name } = event
      return { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }
    }
    case 'arguments':
      return { tool_calls: [{ index: event.index, function: { arguments: event.text } }] }
    default:
      throw event satisfies never
  }
}

function toUsage({ inputTokens, outputTokens }: ChatUsage): object {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  }
}

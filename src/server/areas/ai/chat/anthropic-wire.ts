import { tryParseObject } from '#lib/json.ts'
import type { ChatMessage, ChatRequest, ChatToolCall } from '#ports/chat-model.ts'
import { AnthropicReader } from './anthropic-reader.ts'
import { invalidRequest, type Wire } from './wire.ts'

const API_VERSION = '2023-06-01'
/** Anthropic adds a text of its own to requests with tools (platform.claude.com/docs, "Tool use pricing"). */
const TOOL_PROMPT_TOKENS = 1_000

export const anthropicWire: Wire = {
  path: '/messages',
  headers: (apiKey) => ({ 'anthropic-version': API_VERSION, ...(apiKey && { 'x-api-key': apiKey }) }),
  body: toBody,
  addedTokens: ({ tools, answerSchema }) => (tools || answerSchema ? TOOL_PROMPT_TOKENS : 0),
  reader: ({ answerSchema }) => new AnthropicReader(answerSchema?.name),
}

function toBody(model: string, request: ChatRequest): object {
  const { messages, temperature, topP, stop } = request
  if (temperature !== undefined && temperature > 1) {
    throw invalidRequest(`temperature: must be at most 1 for this provider, not ${temperature}`)
  }
  const system = messages.filter(({ role }) => role === 'system').map(({ text }) => text)
  return {
    model,
    max_tokens: request.maxOutputTokens,
    ...(system.length > 0 && { system: system.join('\n\n') }),
    messages: toTurns(messages),
    ...toTools(request),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(stop && { stop_sequences: stop }),
    stream: true,
  }
}

type Turn = { role: 'user' | 'assistant'; content: object[] }

/** Joins neighbours of one role, because results of tools must be in one turn with the user's text after them. */
function toTurns(messages: readonly ChatMessage[]): Turn[] {
  const turns: Turn[] = []
  for (const message of messages) {
    if (message.role === 'system') continue
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const content = toBlocks(message)
    const last = turns.at(-1)
    if (last?.role === role) last.content.push(...content)
    // Turns and texts without content are refused by the provider and say nothing.
    else if (content.length > 0) turns.push({ role, content })
  }
  if (turns.length === 0) throw invalidRequest('messages: must contain a message of the user')
  return turns
}

function toBlocks(message: Exclude<ChatMessage, { role: 'system' }>): object[]
function toBlocks(message: ChatMessage): object[] {
  if (message.role === 'tool') return [{ type: 'tool_result', tool_use_id: message.callId, content: message.text }]
  const text = message.text === '' ? [] : [{ type: 'text', text: message.text }]
  if (message.role !== 'assistant') return text
  return [...text, ...(message.toolCalls ?? []).map(toToolUse)]
}

function toToolUse({ id, name, arguments: written }: ChatToolCall): object {
  return { type: 'tool_use', id, name, input: parseArguments(written) }
}

function parseArguments(written: string): object {
  const input = tryParseObject(written)
  if (input) return input
  throw invalidRequest('messages: the arguments of a tool call must be a JSON object for this provider')
}

/** An answer that must fit a schema is asked for as the call of one more tool. */
function toTools({ tools = [], toolChoice = 'auto', answerSchema }: ChatRequest): object {
  if (tools.length === 0 && !answerSchema) return {}
  const own = tools.map(({ name, description, parameters }) => ({
    name,
    ...(description !== undefined && { description }),
    input_schema: parameters,
  }))
  if (!answerSchema) return { tools: own, tool_choice: toToolChoice(toolChoice) }
  const { name, schema } = answerSchema
  if (tools.some((tool) => tool.name === name)) {
    throw invalidRequest(`response_format: its name must not be the name of a tool, as ${name} is`)
  }
  const answer = { name, description: 'Gives the final answer to the user.', input_schema: schema }
  const mayCallOthers = tools.length > 0 && toolChoice !== 'none'
  return { tools: [...own, answer], tool_choice: mayCallOthers ? toForced(toolChoice) : { type: 'tool', name } }
}

function toToolChoice(choice: NonNullable<ChatRequest['toolChoice']>): object {
  if (typeof choice !== 'string') return { type: 'tool', name: choice.name }
  return { type: choice === 'required' ? 'any' : choice }
}

function toForced(choice: NonNullable<ChatRequest['toolChoice']>): object {
  return toToolChoice(choice === 'auto' ? 'required' : choice)
}

import { z } from 'zod'

/** What a policy sees of a request. Nothing is remembered between requests. */
export type Conversation = {
  readonly model: string
  /** Number of answers that the model gave before. */
  readonly step: number
  /** Results of tools, in order. */
  readonly results: readonly string[]
}

const OpenAi = z.object({
  model: z.string(),
  stream: z.boolean().default(false),
  messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
})

const Block = z.object({ type: z.string(), content: z.unknown() })
const Anthropic = z.object({
  model: z.string(),
  messages: z.array(z.object({ role: z.string(), content: z.union([z.string(), z.array(Block)]) })),
})

/** Reads a request for a chat completion of OpenAI. */
export function readOpenAi(body: unknown): Conversation & { stream: boolean } {
  const { model, stream, messages } = OpenAi.parse(body)
  return {
    model,
    stream,
    step: messages.filter(({ role }) => role === 'assistant').length,
    results: messages.filter(({ role }) => role === 'tool').map(({ content }) => textOf(content)),
  }
}

/** Reads a request for a message of Anthropic. */
export function readAnthropic(body: unknown): Conversation {
  const { model, messages } = Anthropic.parse(body)
  const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content))
  return {
    model,
    step: messages.filter(({ role }) => role === 'assistant').length,
    results: blocks.filter(({ type }) => type === 'tool_result').map(({ content }) => textOf(content)),
  }
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content)
}

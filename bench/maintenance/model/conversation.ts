import { z } from 'zod'

/** The part of a request that a policy sees. Nothing is remembered between requests. */
export type Conversation = {
  readonly model: string
  /** Number of answers that the model gave before. */
  readonly step: number
  /** Texts that the model was sent, in order: the first message and the results of tools. */
  readonly given: readonly string[]
}

const OpenAi = z.object({
  model: z.string(),
  stream: z.boolean().default(false),
  messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
})

const Anthropic = z.object({
  model: z.string(),
  messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
})

/** Reads a request for a chat completion of OpenAI. */
export function readOpenAi(body: unknown): Conversation & { stream: boolean } {
  const { model, stream, messages } = OpenAi.parse(body)
  return {
    model,
    stream,
    step: messages.filter(({ role }) => role === 'assistant').length,
    given: messages.filter(({ role }) => role === 'tool' || role === 'user').map(({ content }) => textOf(content)),
  }
}

/** Reads a request for a message of Anthropic. */
export function readAnthropic(body: unknown): Conversation {
  const { model, messages } = Anthropic.parse(body)
  return {
    model,
    step: messages.filter(({ role }) => role === 'assistant').length,
    given: messages.filter(({ role }) => role === 'user').map(({ content }) => textOf(content)),
  }
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content)
}

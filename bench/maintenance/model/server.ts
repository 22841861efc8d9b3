import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { anthropicEvents, openAiEvents } from '#test/outside/fake-chat.ts'
import { type Conversation, readAnthropic, readOpenAi } from './conversation.ts'

type ToolCall = { readonly name: string; readonly arguments: string }

/** How a model answers: with text or calls of tools, or with a status of HTTP. */
export type Reply = {
  readonly text?: string
  readonly calls?: readonly ToolCall[]
  readonly status?: number
  readonly isUsageHidden?: true
  /** The answer begins when this resolves. */
  readonly begin?: Promise<unknown>
}

/** A request that was answered, with the tokens that a provider would bill. */
export type Served = {
  readonly model: string
  readonly step: number
  readonly body: string
  readonly input: number
  readonly output: number
  readonly isUsageHidden: boolean
  /** When the connection ended, in the time of `performance.now()`. */
  closedAt: number | undefined
}

export type Wire = 'openai' | 'anthropic'

export type ScriptedModels = AsyncDisposable & {
  readonly baseUrl: string
  readonly served: Served[]
  /** An entry of SVC_AI_PROVIDERS. */
  provider(name: string, kind: Wire, models: readonly string[]): object
}

const KEY = 'sk-scripted-models-of-the-benchmark'
const BYTES_PER_TOKEN = 4

/**
 * A provider on loopback with the protocols of OpenAI and Anthropic, whose models follow scripts. It keeps no state: the
 * model's name and the conversation say what is answered.
 */
export async function startScriptedModels(answer: (conversation: Conversation) => Reply): Promise<ScriptedModels> {
  const served: Served[] = []
  const server = createServer((request, response) => {
    handle(request, response, answer, served).catch((error: unknown) => {
      console.error(error)
      response.destroy()
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return {
    baseUrl,
    served,
    provider: (name, kind, models) => ({
      name,
      base_url: baseUrl,
      api_key: KEY,
      kind,
      models: models.map((model) => ({ name: model, chat: true, tools: true })),
    }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (conversation: Conversation) => Reply,
  served: Served[],
): Promise<void> {
  const body = await text(request)
  const wire: Wire = request.url === '/v1/messages' ? 'anthropic' : 'openai'
  const { stream = true, ...conversation }: Conversation & { stream?: boolean } =
    wire === 'openai' ? readOpenAi(JSON.parse(body)) : readAnthropic(JSON.parse(body))
  const reply = answer(conversation)
  if (reply.status !== undefined) return void response.writeHead(reply.status).end('{"error":{"message":"busy"}}')
  const entry = entryOf(conversation, body, reply)
  served.push(entry)
  response.once('close', () => {
    entry.closedAt = performance.now()
  })
  await reply.begin
  if (response.destroyed) return
  if (stream) send(response, wire, entry, reply)
  else sendWhole(response, entry, reply)
}

function entryOf({ model, step }: Conversation, body: string, reply: Reply): Served {
  return {
    model,
    step,
    body,
    input: tokensIn(body),
    output: tokensIn(JSON.stringify([reply.text, reply.calls])),
    isUsageHidden: reply.isUsageHidden === true,
    closedAt: undefined,
  }
}

function tokensIn(written: string): number {
  return Math.ceil(Buffer.byteLength(written) / BYTES_PER_TOKEN)
}

function send(response: ServerResponse, wire: Wire, entry: Served, reply: Reply): void {
  const events = wire === 'openai' ? openAiEvents : anthropicEvents
  const toolCalls = callsOf(entry, reply)
  const usage = entry.isUsageHidden ? null : { input: entry.input, output: entry.output }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(events({ text: reply.text ?? (toolCalls.length > 0 ? '' : 'ok'), toolCalls, usage }).join(''))
}

function callsOf({ step }: Served, { calls = [] }: Reply) {
  return calls.map((call, index) => ({ ...call, id: `call_${step}_${index}` }))
}

/** An answer of OpenAI that is not streamed. */
function sendWhole(response: ServerResponse, entry: Served, reply: Reply): void {
  const calls = callsOf(entry, reply).map(({ id, ...call }) => ({ id, type: 'function', function: call }))
  const message = { role: 'assistant', content: reply.text ?? null, ...(calls.length > 0 && { tool_calls: calls }) }
  const usage = {
    prompt_tokens: entry.input,
    completion_tokens: entry.output,
    total_tokens: entry.input + entry.output,
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end(
    JSON.stringify({
      id: 'chatcmpl-scripted',
      object: 'chat.completion',
      created: 0,
      model: entry.model,
      choices: [{ index: 0, message, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }],
      ...(!entry.isUsageHidden && { usage }),
    }),
  )
}

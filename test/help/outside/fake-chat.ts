import { hash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

type Answer = {
  text?: string
  toolCalls?: { id: string; name: string; arguments: string }[]
  /** In the words of the provider. By default the usual one. */
  stop?: string
  /** Null sends none. */
  usage?: { input: number; output: number } | null
  /** The answer begins, with its status, when this resolves. */
  begin?: Promise<unknown>
  /** The answer stops after half of its events until this resolves. */
  pause?: Promise<unknown>
}

/**
 * How the fake answers: normally, with a status and an echo of the request, with this text as the stream, not at all, or
 * with half a stream and a closed connection.
 */
export type FakeReply =
  | Answer
  | { status: number; headers?: Record<string, string> }
  | { sse: string }
  | 'silent'
  | 'cut'

type Kind = 'openai' | 'anthropic'
type ReceivedRequest = { kind: Kind; headers: IncomingMessage['headers']; body: Record<string, unknown> }

/** A provider on loopback with the streamed protocols of OpenAI and Anthropic. It answers as `next` says. */
export type FakeChat = AsyncDisposable & {
  readonly baseUrl: string
  readonly apiKey: string
  readonly asked: ReceivedRequest[]
  readonly next: FakeReply[]
  /** Answers where `next` is empty, by the request. */
  answerWith?: (body: Record<string, unknown>) => FakeReply
  /** Number of callers who went away before their answer was complete. */
  readonly left: () => number
  /** An entry of `SVC_AI_PROVIDERS`. Without `models` every model can be used; `none` does not exist. */
  provider(name: string, kind?: Kind, models?: object[]): object
}

const PATHS: Record<string, Kind> = { '/v1/chat/completions': 'openai', '/v1/messages': 'anthropic' }

export async function startFakeChat(): Promise<FakeChat> {
  let left = 0
  const server = createServer((request, response) => {
    response.once('close', () => {
      if (!response.writableFinished) left++
    })
    void answer(fake, request, response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const apiKey = `sk-${hash('sha256', baseUrl)}`
  const fake: FakeChat = {
    baseUrl,
    apiKey,
    asked: [],
    next: [],
    left: () => left,
    provider: (name, kind = 'openai', models) => ({ name, base_url: baseUrl, api_key: apiKey, kind, models }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return fake
}

async function answer(fake: FakeChat, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = (await json(request)) as Record<string, unknown>
  const kind = PATHS[request.url ?? '']
  if (!kind || request.method !== 'POST') return refuse(response, 404, body)
  fake.asked.push({ kind, headers: request.headers, body })
  const key = kind === 'openai' ? request.headers.authorization : `Bearer ${String(request.headers['x-api-key'])}`
  if (key !== `Bearer ${fake.apiKey}`) return refuse(response, 401, body)
  if (body.model === 'none') return refuse(response, 404, body)
  const reply = fake.next.shift() ?? fake.answerWith?.(body) ?? {}
  if (reply === 'silent') return
  if (reply !== 'cut' && 'status' in reply) return refuse(response, reply.status, body, reply.headers)
  if (reply !== 'cut' && 'begin' in reply) await reply.begin
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  if (reply !== 'cut' && 'sse' in reply) return void response.end(reply.sse)
  await send(response, kind, reply)
}

async function send(response: ServerResponse, kind: Kind, reply: Answer | 'cut'): Promise<void> {
  const given = reply === 'cut' ? {} : reply
  const events = kind === 'openai' ? openAiEvents(given) : anthropicEvents(given)
  const half = Math.ceil(events.length / 2)
  response.write(events.slice(0, half).join(''))
  if (reply === 'cut') return void setImmediate(() => response.destroy())
  await reply.pause
  if (!response.destroyed) response.end(events.slice(half).join(''))
}

const USAGE = { input: 10, output: 5 }

export function openAiEvents({ text, toolCalls = [], stop, usage = USAGE }: Answer): string[] {
  const words = (text ?? (toolCalls.length > 0 ? '' : 'Hello there, friend.')).split(/(?<= )/)
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    id: 'chatcmpl-fake',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason }],
    usage: null,
  })
  const counts = usage && {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
  }
  const chunks = [
    chunk({ role: 'assistant', content: '' }),
    ...words.filter(Boolean).map((content) => chunk({ content })),
    ...toolCalls.flatMap(({ id, name, arguments: written }, index) => [
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      ...written.split(/(?<=,)/).map((part) => chunk({ tool_calls: [{ index, function: { arguments: part } }] })),
    ]),
    chunk({}, stop ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop')),
    ...(counts ? [{ id: 'chatcmpl-fake', object: 'chat.completion.chunk', choices: [], usage: counts }] : []),
  ]
  return [...chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`), 'data: [DONE]\n\n']
}

export function anthropicEvents({ text, toolCalls = [], stop, usage = USAGE }: Answer): string[] {
  const words = (text ?? (toolCalls.length > 0 ? '' : 'Hello there, friend.')).split(/(?<= )/).filter(Boolean)
  const block = (index: number, content_block: object, deltas: object[]) => [
    { type: 'content_block_start', index, content_block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
  const first = words.length > 0 ? 1 : 0
  const events = [
    {
      type: 'message_start',
      message: { role: 'assistant', usage: usage && { input_tokens: usage.input, output_tokens: 1 } },
    },
    { type: 'ping' },
    ...(words.length > 0
      ? block(
          0,
          { type: 'text', text: '' },
          words.map((word) => ({ type: 'text_delta', text: word })),
        )
      : []),
    ...toolCalls.flatMap(({ id, name, arguments: written }, i) =>
      block(
        first + i,
        { type: 'tool_use', id, name, input: {} },
        written.split(/(?<=,)/).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      ),
    ),
    {
      type: 'message_delta',
      delta: { stop_reason: stop ?? (toolCalls.length > 0 ? 'tool_use' : 'end_turn') },
      ...(usage && { usage: { output_tokens: usage.output } }),
    },
    { type: 'message_stop' },
  ]
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
}

/** Quotes the request, as real providers do, so that tests see whether it is passed on. */
function refuse(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  const text = JSON.stringify({ error: { message: `you sent ${JSON.stringify(body)}` } })
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
}

import { hash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

type ReceivedRequest = {
  authorization: string | undefined
  body: { model: string; input: string[]; dimensions?: number }
}
/** How the fake answers: a status with an echo of the request, a fixed body, no answer, or half an answer. */
export type Behaviour =
  | { status: number; headers?: Record<string, string> }
  | { body: (right: RightAnswer) => unknown }
  | 'silent'
  | 'half'
type RightAnswer = { data: { index: number; embedding: number[] }[]; usage?: { prompt_tokens: number } }

/** A provider on loopback with OpenAI's protocol. It answers once as `next` says, and correctly otherwise. */
export type FakeEmbeddings = AsyncDisposable & {
  readonly baseUrl: string
  readonly apiKey: string
  readonly dimensions: number
  readonly asked: ReceivedRequest[]
  readonly next: Behaviour[]
  /** An entry of `SVC_AI_PROVIDERS`. */
  provider(name: string): object
}

const DIMENSIONS = 8

/** `salt` makes it another model, with other vectors of the same size. */
export async function startFakeEmbeddings({ salt = '' } = {}): Promise<FakeEmbeddings> {
  const server = createServer((request, response) => void answer(fake, request, response, salt))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const apiKey = `sk-${hash('sha256', baseUrl)}`
  const models = [{ name: 'fake-small', dimensions: DIMENSIONS }]
  const fake: FakeEmbeddings = {
    baseUrl,
    apiKey,
    dimensions: DIMENSIONS,
    asked: [],
    next: [],
    provider: (name) => ({ name, base_url: baseUrl, api_key: apiKey, kind: 'openai', models }),
    [Symbol.asyncDispose]: async () => {
      if (!server.listening) return
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return fake
}

/** Returns the vector that the fake computes for a text. */
export function fakeVector(text: string, dimensions = DIMENSIONS, salt = ''): number[] {
  const bytes = Buffer.from(hash('sha512', salt + text), 'hex')
  return Array.from({ length: dimensions }, (_, i) => bytes[i % bytes.length]! / 256)
}

async function answer(
  fake: FakeEmbeddings,
  request: IncomingMessage,
  response: ServerResponse,
  salt: string,
): Promise<void> {
  const body = (await json(request)) as ReceivedRequest['body']
  const { authorization } = request.headers
  fake.asked.push({ authorization, body })
  const behaviour = fake.next.shift()
  if (behaviour === 'silent') return
  if (behaviour === 'half') {
    response.writeHead(200, { 'content-length': '1000' }).write('{"data": [', () => response.destroy())
    return
  }
  const echo = { error: { message: `you sent ${JSON.stringify(body.input)} with ${authorization}` } }
  if (request.url !== '/v1/embeddings' || request.method !== 'POST') return send(response, 404, echo)
  if (authorization !== `Bearer ${fake.apiKey}`) return send(response, 401, echo)
  if (body.model !== 'fake-small') return send(response, 404, echo)
  if (behaviour && 'status' in behaviour) return send(response, behaviour.status, echo, behaviour.headers)
  const right = rightAnswer(body, salt)
  send(response, 200, behaviour ? behaviour.body(right) : right)
}

function rightAnswer({ model, input, dimensions }: ReceivedRequest['body'], salt: string) {
  const data = input.map((text, index) => ({
    object: 'embedding',
    index,
    embedding: fakeVector(text, dimensions, salt),
  }))
  const tokens = input.reduce((sum, text) => sum + text.split(/\s+/).length, 0)
  return { object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } }
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
}

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { readAnthropic, sendAnthropic } from './anthropic.ts'
import { readChat, sendChat } from './chat.ts'
import { readGemini, sendGemini } from './gemini.ts'
import { answersIn, replyTo } from './reply.ts'
import { readResponses, sendResponses } from './responses.ts'

export type ScriptedModel = AsyncDisposable & {
  readonly url: string
  /** One line per request: its path, and what was offered and answered. */
  readonly log: readonly string[]
  /** Changes what the sessions from now on do. Without a script, each asks once. */
  play(script?: Script): void
}

/** A session that asks several times. */
export type Script = {
  readonly times: number
  /** Awaited before the question of this number, which is 1 for the second one. */
  readonly before: (question: number) => Promise<void>
  /** Called with all results so far, at each request of the agent. */
  readonly onResults: (results: readonly string[]) => void
}

const ONCE: Script = { times: 1, before: async () => {}, onResults: () => {} }

/** Starts a provider of models on loopback that speaks the protocols of Anthropic, OpenAI and Gemini. */
export async function startScriptedModel(): Promise<ScriptedModel> {
  const log: string[] = []
  let script = ONCE
  const server = createServer((request, response) => {
    void answer(request, response, script).then(
      (line) => log.push(line),
      (error: unknown) => {
        log.push(`${request.url}: ${String(error)}`)
        response.writeHead(500).end()
      },
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    log,
    play: (next = ONCE) => {
      script = next
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, script: Script): Promise<string> {
  const path = request.url ?? ''
  response.setHeader('content-type', 'application/json')
  const protocol = request.method === 'POST' ? PROTOCOLS.find(({ path: own }) => own.test(path)) : undefined
  if (!protocol) {
    response.writeHead(404).end('{}')
    return `${request.method} ${path}: 404`
  }
  const body = (await json(request)) as never
  const turn = protocol.read(body)
  const results = answersIn(turn)
  script.onResults(results)
  if (results.length > 0 && results.length < script.times) await script.before(results.length)
  const reply = replyTo(turn, script)
  protocol.send(response, reply, body, path)
  return `${path}: ${turn.tools.join(' ')} -> ${JSON.stringify(reply).slice(0, 200)}`
}

const PROTOCOLS = [
  { path: /\/v1\/messages(\?|$)/, read: readAnthropic, send: sendAnthropic },
  { path: /\/responses$/, read: readResponses, send: sendResponses },
  { path: /\/chat\/completions$/, read: readChat, send: sendChat },
  {
    path: /:(streamG|g)enerateContent/,
    read: readGemini,
    send: (response: ServerResponse, reply: ReturnType<typeof replyTo>, _body: unknown, path: string) =>
      sendGemini(response, reply, path.includes(':stream')),
  },
]

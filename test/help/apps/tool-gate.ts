import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A call of a tool that a run makes. `number` counts the calls of this run from one. */
type ToolCall = { readonly executionId: string; readonly number: number }

export type ToolGate = AsyncDisposable & {
  readonly url: string
  /** Runs that wait for an answer that does not come. */
  readonly waiting: ReadonlySet<string>
}

type Hold = (call: ToolCall) => Promise<'request' | 'answer' | undefined>

/** Stands between a worker and deploy-api. It can keep a call of a tool, or its answer, for good. */
export async function startToolGate(to: string, hold: Hold): Promise<ToolGate> {
  const counts = new Map<string, number>()
  const waiting = new Set<string>()
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const executionId = /^Bearer svcrun\.([^.]+)\./.exec(request.headers.authorization ?? '')?.[1] ?? ''
    const number = (counts.get(executionId) ?? 0) + 1
    counts.set(executionId, number)
    const held = await hold({ executionId, number })
    const keep = () => void waiting.add(executionId)
    if (held === 'request') keep()
    else await pass(to, request, response, held === 'answer' ? keep : undefined)
  }
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    waiting,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function pass(to: string, request: IncomingMessage, response: ServerResponse, keep?: () => void): Promise<void> {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === 'string' && !HOP_HEADERS.has(name)) headers.set(name, value)
  }
  const answer = await fetch(`${to}${request.url}`, {
    method: request.method ?? 'GET',
    headers,
    body: await buffer(request),
  })
  const body = await answer.bytes()
  if (keep) return keep()
  const shown = [...answer.headers].filter(([name]) => !HOP_HEADERS.has(name))
  response.writeHead(answer.status, Object.fromEntries(shown)).end(body)
}

const HOP_HEADERS = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'content-encoding',
  'keep-alive',
])

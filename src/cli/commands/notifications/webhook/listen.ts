import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { localError } from '../../../command/hinted-error.ts'
import { type Arrived, MAX_BODY_BYTES, VERDICTS, type Verdict } from './verify.ts'

const MAX_CONNECTIONS = 32
const REQUEST_TIMEOUT_MS = 30_000

type Receive = (arrived: Arrived | 'too_large' | 'wrong_method') => Verdict

/** Listens on loopback and answers each request with the status of its verdict. */
export async function listen(port: number, receive: Receive): Promise<{ port: number; close: () => Promise<void> }> {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    void answer(request, response, receive)
  })
  server.maxConnections = MAX_CONNECTIONS
  server.listen(port, '127.0.0.1')
  await once(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
    throw localError(`Cannot listen on port ${port}: ${cause.message}.`, cause, 'Choose another one with --port.')
  })
  const close = async () => {
    server.close()
    server.closeIdleConnections()
    await once(server, 'close')
  }
  return { port: (server.address() as AddressInfo).port, close }
}

async function answer(request: IncomingMessage, response: ServerResponse, receive: Receive): Promise<void> {
  const arrived = await read(request).catch(() => undefined)
  // The sender broke off, so nobody waits for an answer.
  if (arrived === undefined) return
  const verdict = receive(arrived)
  const { status, text } = VERDICTS[verdict]
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(`${text}\n`)
}

async function read(request: IncomingMessage): Promise<Arrived | 'too_large' | 'wrong_method'> {
  if (request.method !== 'POST') return 'wrong_method'
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) return 'too_large'
    chunks.push(chunk)
  }
  return { headers: request.headers, body: Buffer.concat(chunks) }
}

import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { McpMessage } from '#test/agents/mcp-both-ways.ts'

export type Proxy = AsyncDisposable & {
  readonly url: string
  /** Every request that was passed on, without its token. */
  readonly seen: readonly McpMessage[]
}

/** The suite sends no token: this puts one on its requests, and leaves the rest of them as they are. */
export async function startProxy(target: string, token: string): Promise<Proxy> {
  const { hostname, port } = new URL(target)
  const seen: McpMessage[] = []
  const server = createServer((incoming, outgoing) => {
    void collect(incoming).then((message) => seen.push(message))
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` }
    const passed = request({ hostname, port, path: incoming.url, method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    outgoing.on('close', () => passed.destroy())
    incoming.pipe(passed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, [Symbol.asyncDispose]: close }
}

const CONNECTION_HEADERS = ['connection', 'content-length', 'host', 'transfer-encoding']

async function collect(incoming: IncomingMessage): Promise<McpMessage> {
  const chunks: Buffer[] = []
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
  // A request that is cut off ends without its end.
  await once(incoming, 'close')
  const headers = Object.entries(incoming.headers).filter(([name]) => !CONNECTION_HEADERS.includes(name))
  return {
    method: incoming.method!,
    headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
    body: Buffer.concat(chunks).toString(),
  }
}

import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Seen = { path: string; headers: Record<string, string | string[] | undefined>; body: string }
export type Recorder = AsyncDisposable & { readonly url: string; readonly seen: Seen[] }

/** Starts a proxy before a service that records every request. */
export async function startRecorder(target: string): Promise<Recorder> {
  const { hostname, port } = new URL(target)
  const seen: Seen[] = []
  const record = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { url: path = '', method, headers } = incoming
    const body = Buffer.concat(await Array.fromAsync(incoming as AsyncIterable<Buffer>))
    seen.push({ path, headers, body: body.toString() })
    const passed = request({ hostname, port, path, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    passed.end(body)
  }
  const server = createServer((incoming, outgoing) => void record(incoming, outgoing))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, [Symbol.asyncDispose]: close }
}

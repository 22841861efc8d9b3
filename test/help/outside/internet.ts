import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { buildConnector } from 'undici'
import type { Connect, Resolve } from '#lib/net/connector.ts'

interface Received {
  method: string | undefined
  path: string | undefined
  headers: IncomingMessage['headers']
  body: string
}

/** A server on loopback that records its requests. */
export interface Peer extends AsyncDisposable {
  port: number
  connections: number
  received: Received[]
}

export async function startPeer(answer: RequestListener = ok): Promise<Peer> {
  const received: Received[] = []
  const receive = async (request: IncomingMessage): Promise<void> => {
    const { method, url: path, headers } = request
    received.push({ method, path, headers, body: await text(request).catch(() => 'broken off') })
  }
  const server = createServer((request, response) => void receive(request).then(() => answer(request, response)))
  // Without a host, so that it listens on IPv4 and IPv6.
  await new Promise<void>((done) => server.listen(0, done))
  const peer: Peer = {
    port: (server.address() as AddressInfo).port,
    connections: 0,
    received,
    [Symbol.asyncDispose]: () => close(server),
  }
  server.on('connection', () => {
    peer.connections += 1
  })
  return peer
}

function ok(_request: IncomingMessage, response: ServerResponse): void {
  response.end('ok')
}

function close(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((done) => server.close(() => done()))
}

/** Resolves names to the given answers, one per query; the last one is repeated. */
export function fakeResolve(names: Record<string, string[][]>): Resolve {
  return async (hostname) => {
    const answers = names[hostname]
    const addresses = answers && (answers.length > 1 ? answers.shift() : answers[0])
    if (!addresses) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' })
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  }
}

/** Connects to the peer that is mapped to the first vetted address. Peers use plain HTTP, also for https. */
export function fakeConnect(peers: Record<string, Pick<Peer, 'port'>>): Connect {
  return ({ addresses, signal, host: _host, servername: _servername, ...options }, callback) => {
    const peer = peers[addresses[0]?.address ?? '']
    if (!peer) return callback(new Error('nothing stands for this address'), null)
    const connect = buildConnector({ allowH2: false, timeout: 0, signal })
    connect({ ...options, protocol: 'http:', hostname: '127.0.0.1', port: String(peer.port) }, callback)
  }
}

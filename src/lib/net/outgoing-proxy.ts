import { chmod } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { connect, type LookupFunction, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type Resolve, vettedAddresses } from './connector.ts'
import { createDnsResolve } from './dns.ts'
import { endToEnd } from './end-to-end-headers.ts'
import { isLoopback } from './loopback.ts'
import { SafeFetchError } from './safe-fetch-error.ts'
import { vetUrl } from './safe-url.ts'

type Target = { readonly hostname: string; readonly port: number }
type Vetted = Target & { readonly addresses: Awaited<ReturnType<typeof vettedAddresses>> | undefined }

type OutgoingProxyOptions = {
  /** An origin that is reached although its address may not be public. */
  readonly ownOrigin: string | undefined
  /** The address of 127.0.0.0/8 that connections to an own origin on this machine come from. */
  readonly ownClientAddress?: string
  /** Called for each target that is not allowed. */
  readonly onRefused: (reason: string) => void
  readonly resolve?: Resolve
  /** Begins a connection to a vetted target. */
  readonly dial?: (target: Vetted, ownClientAddress: string | undefined) => Socket
}

type ProxyOptions = OutgoingProxyOptions & { readonly resolve: Resolve }

const MAX_CONNECTIONS = 128
const CONNECT_MS = 15_000
const IDLE_MS = 10 * 60_000

/**
 * Listens on a Unix socket as an HTTP proxy (CONNECT and requests with a whole address) for processes that have no
 * network of their own. It reaches what safe fetch reaches: public addresses, ports 80, 443 and from 1024, and beside
 * them only `ownOrigin`. Disposing it ends its connections.
 */
export async function openOutgoingProxy(path: string, given: OutgoingProxyOptions): Promise<AsyncDisposable> {
  const options = { resolve: createDnsResolve(), ...given }
  const sockets = new Set<Duplex>()
  const track = <T extends Duplex>(socket: T): T => {
    sockets.add(socket)
    return socket.once('close', () => sockets.delete(socket)).on('error', () => {})
  }
  const server = createServer({ headersTimeout: CONNECT_MS, requestTimeout: 0 })
  server.maxConnections = MAX_CONNECTIONS
  server.on('connection', track).on('clientError', (_error, socket) => socket.destroy())
  server.on('connect', (incoming, client, head) => void tunnel(incoming, client, head, options, track))
  server.on('request', (incoming, response) => void forward(incoming, response, options, track))
  await listening(server, path)
  // Its user may differ from ours. Who can reach the folder may connect.
  await chmod(path, 0o666)
  return {
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

type Track = <T extends Duplex>(socket: T) => T

async function listening(server: Server, path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve))
  server.on('error', () => {})
}

async function tunnel(
  incoming: IncomingMessage,
  client: Duplex,
  head: Buffer,
  options: ProxyOptions,
  track: Track,
): Promise<void> {
  try {
    const upstream = track(await open(`http://${incoming.url}`, options))
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy()).setTimeout(IDLE_MS, () => upstream.destroy())
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    upstream.write(head)
    client.pipe(upstream).pipe(client)
  } catch (error) {
    const { status, text } = refusal(error, options)
    client.end(`HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n${text}\n`)
  }
}

async function forward(
  incoming: IncomingMessage,
  response: ServerResponse,
  options: ProxyOptions,
  track: Track,
): Promise<void> {
  const fail = (error: unknown) => {
    const { status, text } = refusal(error, options)
    if (response.headersSent) response.destroy()
    else response.writeHead(Number.parseInt(status, 10), { 'content-type': 'text/plain' }).end(`${text}\n`)
  }
  try {
    const url = requestedUrl(incoming)
    const { pathname, search } = new URL(url)
    const upstream = track(await open(url, options))
    const outgoing = request({
      createConnection: () => upstream,
      method: incoming.method,
      path: pathname + search,
      headers: [...endToEnd(incoming.rawHeaders), 'Connection', 'close'],
      timeout: IDLE_MS,
    })
    outgoing.on('timeout', () => outgoing.destroy()).on('error', fail)
    outgoing.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, endToEnd(answer.rawHeaders))
      answer.on('error', () => response.destroy()).pipe(response)
    })
    response.on('close', () => outgoing.destroy())
    incoming.pipe(outgoing)
  } catch (error) {
    fail(error)
  }
}

/** Returns the whole address of a request to a proxy. TLS goes through CONNECT only. */
function requestedUrl({ url = '' }: IncomingMessage): string {
  if (!url.startsWith('http://')) throw new SafeFetchError('refused_url', 'only http addresses and CONNECT are allowed')
  return url
}

/** Connects to the host of an address, or throws why not. */
async function open(address: string, options: ProxyOptions): Promise<Socket> {
  const target = await vet(address, options)
  const socket = (options.dial ?? dialVetted)(target, options.ownClientAddress)
  return await new Promise<Socket>((resolve, reject) => {
    const name = `${target.hostname}:${target.port}`
    const fail = (cause?: Error) => {
      socket.destroy()
      reject(new SafeFetchError('connect', `${name}: no connection`, { cause }))
    }
    socket.once('error', fail).setTimeout(CONNECT_MS, fail)
    socket.once('connect', () => resolve(socket.off('error', fail).setTimeout(0)))
  })
}

async function vet(address: string, { ownOrigin, resolve }: ProxyOptions): Promise<Vetted> {
  const own = ownOrigin === undefined ? undefined : targetOf(new URL(ownOrigin))
  const parsed = URL.parse(address)
  if (own && parsed && isSame(targetOf(parsed), own)) return { ...own, addresses: undefined }
  const target = targetOf(vetUrl(address))
  // These always mean the machine itself (RFC 6761 section 6.3), whatever a name server says.
  if (/(?:^|\.)localhost\.?$/.test(target.hostname)) {
    throw new SafeFetchError('refused_address', `${target.hostname} is not a public address`)
  }
  return { ...target, addresses: await vettedAddresses(target.hostname, { resolve, allowCidrs: [] }) }
}

function targetOf(url: URL): Target {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  return { hostname: url.hostname.replace(/^\[|\]$/g, ''), port }
}

/** The names of the machine itself mean the same. */
function isSame(one: Target, other: Target): boolean {
  const isHere = (hostname: string) => isLoopback(hostname === '::1' ? '[::1]' : hostname)
  const sameHost = one.hostname === other.hostname || (isHere(one.hostname) && isHere(other.hostname))
  return sameHost && one.port === other.port
}

function dialVetted({ hostname, port, addresses }: Vetted, ownClientAddress: string | undefined): Socket {
  if (addresses === undefined) {
    const isHere = hostname === 'localhost' || hostname === '127.0.0.1'
    return isHere && ownClientAddress !== undefined
      ? connect({ host: '127.0.0.1', port, localAddress: ownClientAddress })
      : connect({ host: hostname, port, autoSelectFamily: true })
  }
  const pinned: LookupFunction = (_hostname, { all }, done) => {
    if (all) done(null, [...addresses])
    else done(null, addresses[0]!.address, addresses[0]!.family)
  }
  return connect({ host: hostname, port, autoSelectFamily: true, lookup: pinned })
}

function refusal(error: unknown, { onRefused }: OutgoingProxyOptions): { status: string; text: string } {
  const reason = error instanceof SafeFetchError ? error.reason : 'io'
  const text = error instanceof SafeFetchError ? error.message : 'no answer'
  if (reason !== 'refused_address' && reason !== 'refused_url') return { status: '502 Bad Gateway', text }
  onRefused(text)
  return { status: '403 Forbidden', text }
}

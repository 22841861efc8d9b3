import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http'
import { connect, isIPv4, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Duplex } from 'node:stream'
import { createDnsResolve } from './address/dns.ts'
import { isLoopback, isThisMachine } from './address/loopback.ts'
import { vetUrl } from './address/safe-url.ts'
import { pinnedLookup, type Resolve, vettedAddresses } from './connector.ts'
import { endToEnd } from './end-to-end-headers.ts'
import { SafeFetchError } from './safe-fetch-error.ts'

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
  const own = createServer((incoming, response) => {
    void forward(addressIn(incoming, options), incoming, response, options, track)
  })
  own.setTimeout(IDLE_MS).on('clientError', (_error, socket) => socket.destroy())
  server.on('connect', (incoming, client, head) => {
    if (isPlainOwn(`http://${incoming.url}`, options)) answerAsOwn(own, client, head)
    else void tunnel(incoming, client, head, options, track)
  })
  server.on('request', (incoming, response) => void forward(incoming.url ?? '', incoming, response, options, track))
  await listening(server, path)
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
  // The user of a process may differ from ours: who can reach the folder may connect. Not by chmod, because the caller
  // may have no right to change files.
  const options = { path, readableAll: true, writableAll: true }
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(options, resolve))
  server.on('error', () => {})
}

/**
 * A tunnel to our own origin without TLS ends here, and the requests in it are passed on like others. Bytes that
 * nobody looks at could look like a request from a person at this machine.
 */
function answerAsOwn(own: Server, client: Duplex, head: Buffer): void {
  client.write('HTTP/1.1 200 Connection established\r\n\r\n')
  client.unshift(head)
  own.emit('connection', client)
}

/** The whole address of a request in such a tunnel. */
function addressIn({ url = '' }: IncomingMessage, { ownOrigin }: ProxyOptions): string {
  return url.startsWith('/') ? new URL(ownOrigin!).origin + url : url
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
    if (client.destroyed) return void upstream.destroy()
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
  address: string,
  incoming: IncomingMessage,
  response: ServerResponse,
  options: ProxyOptions,
  track: Track,
): Promise<void> {
  // An emitter without a listener for its error ends the process.
  incoming.on('error', () => {})
  response.on('error', () => {})
  const fail = (error: unknown) => {
    const { status, text } = refusal(error, options)
    if (response.headersSent) response.destroy()
    else response.writeHead(Number.parseInt(status, 10), { 'content-type': 'text/plain' }).end(`${text}\n`)
  }
  try {
    const url = requireHttp(address)
    const upstream = track(await open(url, options))
    response.on('close', () => upstream.destroy())
    if (response.destroyed) return void upstream.destroy()
    const outgoing = requestTo(upstream, url, incoming, options)
    outgoing.on('timeout', () => outgoing.destroy()).on('error', fail)
    // A connection can also end without an answer and without an error, as after an upgrade that nobody asked for.
    outgoing.on('close', () => response.headersSent || fail(new Error('the connection ended')))
    outgoing.on('response', (answer) => passOn(answer, response, fail))
    incoming.pipe(outgoing)
  } catch (error) {
    fail(error)
  }
}

function requestTo(upstream: Socket, url: string, incoming: IncomingMessage, options: ProxyOptions): ClientRequest {
  const { pathname, search } = new URL(url)
  const headers = endToEnd(incoming.rawHeaders)
  // Without it Node would send the body of a GET as it is, and the server would read it as another request.
  const isChunked = incoming.headers['transfer-encoding'] !== undefined
  return request({
    createConnection: () => upstream,
    method: incoming.method,
    path: pathname + search,
    headers: [
      ...(isOwn(url, options) ? asForwarded(headers, options) : headers),
      ...(isChunked ? ['Transfer-Encoding', 'chunked'] : []),
      'Connection',
      'close',
    ],
    timeout: IDLE_MS,
  })
}

/**
 * Headers of a request to our own origin that say where it comes from. What an app says of that itself is left out,
 * because the connection may have an address that people at this machine have too.
 */
function asForwarded(headers: readonly string[], { ownOrigin, ownClientAddress }: ProxyOptions): string[] {
  const otherHeaders = headers.flatMap((name, n) =>
    n % 2 === 0 && !/^(?:host|via|x-forwarded-for)$/i.test(name) ? [name, headers[n + 1]!] : [],
  )
  const address = ownClientAddress === undefined ? [] : ['X-Forwarded-For', ownClientAddress]
  return ['Host', new URL(ownOrigin!).host, ...otherHeaders, 'Via', '1.1 svc-app', ...address]
}

/** Node's client takes statuses and headers that its server refuses to send, such as status 099. */
function passOn(answer: IncomingMessage, response: ServerResponse, fail: (error: unknown) => void): void {
  answer.on('error', () => response.destroy())
  try {
    response.writeHead(answer.statusCode ?? 502, endToEnd(answer.rawHeaders))
    answer.pipe(response)
  } catch (error) {
    fail(error)
    answer.destroy()
  }
}

/** Returns the whole address of a request to a proxy. TLS goes through CONNECT only. */
function requireHttp(url: string): string {
  if (!url.startsWith('http://')) throw new SafeFetchError('refused_url', 'only http addresses and CONNECT are allowed')
  return url
}

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

async function vet(address: string, options: ProxyOptions): Promise<Vetted> {
  const { ownOrigin, resolve } = options
  if (isOwn(address, options)) return { ...targetOf(new URL(ownOrigin!)), addresses: undefined }
  const target = targetOf(vetUrl(address))
  // These always mean the machine itself (RFC 6761 section 6.3), whatever a name server says.
  if (/(?:^|\.)localhost\.?$/.test(target.hostname)) {
    throw new SafeFetchError('refused_address', `${target.hostname} is not a public address`)
  }
  return { ...target, addresses: await vettedAddresses(target.hostname, { resolve, allowCidrs: [] }) }
}

function isOwn(address: string, { ownOrigin }: ProxyOptions): boolean {
  const parsed = URL.parse(address)
  return ownOrigin !== undefined && parsed !== null && isSame(targetOf(parsed), targetOf(new URL(ownOrigin)))
}

function isPlainOwn(address: string, options: ProxyOptions): boolean {
  return isOwn(address, options) && new URL(options.ownOrigin!).protocol === 'http:'
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
    // IPv6 has only one address of the machine itself, so that a connection to it cannot come from another.
    const host = hostname === 'localhost' ? '127.0.0.1' : hostname
    return ownClientAddress !== undefined && isIPv4(host) && isOfThisMachine(host)
      ? connect({ host, port, localAddress: ownClientAddress })
      : connect({ host: hostname, port, autoSelectFamily: true })
  }
  return connect({ host: hostname, port, autoSelectFamily: true, lookup: pinnedLookup(addresses) })
}

function isOfThisMachine(address: string): boolean {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return isThisMachine(address) || all.some((each) => each.address === address)
}

function refusal(error: unknown, { onRefused }: OutgoingProxyOptions): { status: string; text: string } {
  const reason = error instanceof SafeFetchError ? error.reason : 'io'
  const text = error instanceof SafeFetchError ? error.message : 'no answer'
  if (reason !== 'refused_address' && reason !== 'refused_url') return { status: '502 Bad Gateway', text }
  onRefused(text)
  return { status: '403 Forbidden', text }
}

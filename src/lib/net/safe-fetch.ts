import { refuseInTransaction } from '../db/transaction-guard.ts'
import { parseCidr } from './address/address.ts'
import { vetUrl } from './address/safe-url.ts'
import {
  type Connect,
  createConnector,
  type Resolve,
  systemConnect,
  systemResolve,
  vettedAddresses,
} from './connector.ts'
import { exchange, isRedirect, type OutgoingRequest, type SafeResponse, type StopReason } from './exchange.ts'
import type { KeptConnections } from './kept-connections.ts'
import { SafeFetchError } from './safe-fetch-error.ts'

interface SafeFetchOptions {
  resolve?: Resolve
  connect?: Connect
  /** Ranges that are allowed although they are not public. */
  allowCidrs?: readonly string[]
  /** The allowed ports, instead of 80, 443 and those from 1024. */
  ports?: readonly number[]
  /** Serves the requests with `keepConnection`. Without it these use new connections too. */
  keptConnections?: KeptConnections
}

export interface SafeFetchRequest {
  method?: string
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array
  signal?: AbortSignal
  /** Deadline for everything together: DNS, connections, redirects and the body. */
  timeoutMs?: number
  maxResponseBytes?: number
  redirects?: 0 | 1 | 2 | 3
  /**
   * Uses a connection that an earlier request to the same URL left open, and leaves it open for the next. If such a
   * connection breaks, the request counts as sent.
   */
  keepConnection?: boolean
}

export type SafeFetch = (url: string, request?: SafeFetchRequest) => Promise<SafeResponse>

type Hop = (url: URL, request: OutgoingRequest) => Promise<SafeResponse>

/** Creates a fetch for addresses from users, which reaches public addresses only. Every failure is a SafeFetchError. */
export function createSafeFetch(options: SafeFetchOptions = {}): SafeFetch {
  const { resolve = systemResolve, connect = systemConnect, ports, keptConnections } = options
  const allowCidrs = (options.allowCidrs ?? []).map(parseCidr)
  return async (url, request = {}) => {
    refuseInTransaction('an outgoing HTTP call')
    const target = vetUrl(url, ports)
    return await withDeadline(request, (signal) => {
      const connector = () => createConnector({ resolve, connect, allowCidrs, signal })
      const route = { connector, signal, keptConnections: request.keepConnection ? keptConnections : undefined }
      const hop: Hop = (hopUrl, outgoing) => exchange(hopUrl, outgoing, route)
      return followRedirects(hop, target, request, ports)
    })
  }
}

/**
 * Creates a check that refuses the same addresses as `createSafeFetch` without connecting, for when an address is
 * saved.
 */
export function createAddressCheck(
  options: Omit<SafeFetchOptions, 'connect' | 'kept'> = {},
): (url: string) => Promise<void> {
  const { resolve = systemResolve, ports } = options
  const allowCidrs = (options.allowCidrs ?? []).map(parseCidr)
  return async (url) => {
    refuseInTransaction('an outgoing DNS lookup')
    const { hostname } = vetUrl(url, ports)
    await vettedAddresses(hostname.replace(/^\[|\]$/g, ''), { resolve, allowCidrs })
  }
}

async function withDeadline<T>(request: SafeFetchRequest, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const stop = (reason: StopReason) => controller.abort(reason)
  const onAbort = () => stop('aborted')
  const timer = setTimeout(() => stop('timeout'), request.timeoutMs ?? 10_000)
  if (request.signal?.aborted) onAbort()
  request.signal?.addEventListener('abort', onAbort)
  try {
    return await run(controller.signal)
  } finally {
    clearTimeout(timer)
    request.signal?.removeEventListener('abort', onAbort)
  }
}

async function followRedirects(
  hop: Hop,
  first: URL,
  request: SafeFetchRequest,
  ports?: readonly number[],
): Promise<SafeResponse> {
  const { method = 'GET', body, maxResponseBytes = 16 * 1024 } = request
  let url = first
  let headers = request.headers ?? {}
  for (let left = request.redirects ?? 0; ; left -= 1) {
    const answer = await hop(url, { method, headers, body, maxResponseBytes })
    if (!isRedirect(answer.status)) return answer
    const next = redirectTarget(url, answer, left, ports)
    if (next.origin !== url.origin) headers = withoutCredentials(headers)
    url = next
  }
}

function redirectTarget(from: URL, { status, headers }: SafeResponse, left: number, ports?: readonly number[]): URL {
  const refuse = (why: string) =>
    new SafeFetchError('redirect', `${from.origin} answered ${status}: ${why}`, { status })
  // 303 requires a GET without the body, so it is refused. 301, 302, 307 and 308 keep method and body here.
  if (status === 303) throw refuse('its method cannot be kept')
  if (left === 0) throw refuse('not followed')
  if (headers.location === undefined) throw refuse('no Location')
  const to = vetUrl(headers.location, ports, from)
  if (from.protocol === 'https:' && to.protocol === 'http:') throw refuse('from https to http')
  return to
}

function withoutCredentials(headers: Readonly<Record<string, string>>): Record<string, string> {
  const secret = ['authorization', 'cookie', 'proxy-authorization', 'api-key']
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !secret.includes(name.toLowerCase())))
}

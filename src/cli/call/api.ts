import { type Client, createClient } from '#contract/core/client.ts'
import type { RequestParts } from '#contract/core/client-send.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { secondsText } from '#contract/core/seconds-text.ts'
import { TextRequest } from '#contract/core/text-message.ts'
import type { Cli } from '../command/command.ts'
import type { Login } from '../login/contexts.ts'
import { warnOfDeprecated } from './deprecated.ts'
import { exchange } from './fast/exchange.ts'
import { type AddressOf, networkError } from './network-error.ts'
import { warnOfPlainHttp } from './plain-http.ts'
import { warnOfVersion } from './version-warning.ts'

const TIMEOUT_SECONDS = 30
/** Types of answers that are handed on as they come, without a limit for their bytes or their time. */
const STREAMED_TYPES = ['application/x-ndjson', 'application/x-tar']

/** Where warnings are printed, and whether they may be. */
type Terminal = Pick<Cli, 'note' | 'config' | 'isForProgram'>

/** Opens the typed client for a login. */
export function connect(login: Login, cli: Terminal, timeoutSeconds: number = TIMEOUT_SECONDS): Client {
  warnOfPlainHttp(login.api_url, cli)
  const target = targetOf(login, cli)
  return createClient({
    baseUrl: login.api_url,
    headers: () => headersOf(login),
    makeRequest,
    fetch: (request) => send(request, target, timeoutSeconds),
    // Without a time limit: the server refuses an upload that is too slow, however long a large one takes.
    fetchUpload: (request) => send(request, target, undefined),
  })
}

function makeRequest(url: string, parts: RequestParts): Request {
  // It has the fields of a Request that are read below.
  if (parts.headers.accept === 'application/json') return new TextRequest(url, parts) as unknown as Request
  const { method, headers, body = null, signal } = parts
  return new Request(url, { method, headers, body, signal: signal?.() ?? null })
}

type RawCall = { method: string; path: string; headers: readonly (readonly [string, string])[]; body?: string }

/** Calls any path and returns the answer unchanged. The caller's headers take precedence over the default ones. */
export async function callRaw(
  login: Login,
  call: RawCall,
  cli: Terminal,
  timeoutSeconds: number = TIMEOUT_SECONDS,
): Promise<Response> {
  warnOfPlainHttp(login.api_url, cli)
  const url = new URL(login.api_url + call.path)
  const headers = new Headers({ accept: 'application/json', ...headersOf(login) })
  if (call.body !== undefined) headers.set('content-type', 'application/json')
  for (const [name, value] of call.headers) headers.set(name, value)
  const init = { method: call.method, headers, ...(call.body !== undefined && { body: call.body }) }
  const target = targetOf(login, cli)
  return await send(new Request(url, init), target, timeoutSeconds)
}

function headersOf({ api_key }: Login): Record<string, string> {
  return { authorization: `Bearer ${api_key}`, 'x-svc-client': 'cli' }
}

type Target = { readonly apiUrl: string; readonly warn: ReturnType<typeof warnOfDeprecated> }

function targetOf({ api_url: apiUrl }: Login, cli: Terminal): Target {
  const ofDeprecated = warnOfDeprecated(apiUrl, cli)
  const ofVersion = warnOfVersion(apiUrl, cli)
  const warn: Target['warn'] = (request, response) => {
    ofVersion(response)
    ofDeprecated(request, response)
  }
  return { apiUrl, warn }
}

async function send(request: Request, { apiUrl, warn }: Target, timeoutSeconds: number | undefined): Promise<Response> {
  return await fetchLimited(request, { apiUrl, of: 'instance' }, timeoutSeconds, async (response) => {
    warn(request, response)
    if (response.status >= 300 && response.status < 400) throw redirected(response, apiUrl)
    return request instanceof TextRequest || isStream(response) ? response : await readWhole(response)
  })
}

/** Sends a request without a login to an address that the person typed, and returns the status of the answer. */
export async function statusOf(request: Request, timeoutSeconds: number): Promise<number> {
  const address = { apiUrl: new URL(request.url).origin, of: 'typed' } as const
  return await fetchLimited(request, address, timeoutSeconds, async (response) => {
    await response.body?.cancel()
    return response.status
  })
}

async function fetchLimited<T>(
  request: Request,
  { apiUrl, of }: { readonly apiUrl: string; readonly of: AddressOf },
  timeoutSeconds: number | undefined,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const timeout = new AbortController()
  const timer = timeoutSeconds && setTimeout(() => timeout.abort(), timeoutSeconds * 1000)
  const signal = AbortSignal.any([request.signal, timeout.signal])
  try {
    return await exchange(request, signal, read)
  } catch (cause) {
    if (cause instanceof ServiceError || request.signal.aborted) throw cause
    if (timeoutSeconds && signal.aborted) throw timedOut(apiUrl, timeoutSeconds)
    throw networkError(apiUrl, cause, of)
  } finally {
    clearTimeout(timer)
  }
}

/** Reads the body within the timeout, which would otherwise cover the headers only. Streams have no timeout. */
async function readWhole(response: Response): Promise<Response> {
  const body = await response.arrayBuffer()
  const { status, statusText, headers } = response
  return new Response(body.byteLength > 0 ? body : null, { status, statusText, headers })
}

function isStream(response: Response): boolean {
  const type = response.headers.get('content-type') ?? ''
  return STREAMED_TYPES.some((streamed) => type.startsWith(streamed))
}

function redirected(response: Response, apiUrl: string): ServiceError {
  const to = URL.parse(response.headers.get('location') ?? '', apiUrl)
  return new ServiceError(
    'UNAVAILABLE',
    `${apiUrl} redirects to ${to?.origin ?? 'an unknown address'}. Log in with that address.`,
  )
}

function timedOut(apiUrl: string, timeoutSeconds: number): ServiceError {
  return new ServiceError('TIMEOUT', `${apiUrl} did not answer within ${secondsText(timeoutSeconds)}.`)
}

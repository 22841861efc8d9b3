import { type Client, createClient } from '#contract/client.ts'
import { ServiceError } from '#contract/errors.ts'
import type { Login } from './contexts.ts'

const TIMEOUT_MS = 30_000

/** The typed client over the network. The only file of the CLI that names `fetch`. */
export function connect(login: Login, timeoutMs: number = TIMEOUT_MS): Client {
  return createClient({
    baseUrl: login.api_url,
    headers: () => ({ authorization: `Bearer ${login.api_key}`, 'x-svc-client': 'cli' }),
    fetch: (request) => send(request, login.api_url, timeoutMs),
  })
}

async function send(request: Request, apiUrl: string, timeoutMs: number): Promise<Response> {
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), timeoutMs)
  const signal = AbortSignal.any([request.signal, timeout.signal])
  try {
    // Followed, a redirect would carry the key to wherever it points.
    const response = await fetch(request, { signal, redirect: 'manual' })
    if (response.status >= 300 && response.status < 400) throw redirected(response, apiUrl)
    return isStream(response) ? response : await readWhole(response)
  } catch (cause) {
    if (cause instanceof ServiceError || request.signal.aborted) throw cause
    if (timeout.signal.aborted) throw timedOut(apiUrl, timeoutMs)
    throw new ServiceError('UNAVAILABLE', `cannot reach ${apiUrl}: is it running?${reason(cause)}`, { cause })
  } finally {
    clearTimeout(timer)
  }
}

/** Within the time-out, which would otherwise end with the headers. A stream may take as long as it likes. */
async function readWhole(response: Response): Promise<Response> {
  const body = await response.arrayBuffer()
  const { status, headers } = response
  return new Response(body.byteLength > 0 ? body : null, { status, headers })
}

function isStream(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith('application/x-ndjson') ?? false
}

function redirected(response: Response, apiUrl: string): ServiceError {
  const to = URL.parse(response.headers.get('location') ?? '', apiUrl)
  return new ServiceError('UNAVAILABLE', `${apiUrl} redirects to ${to?.origin ?? 'nowhere'}: log in with that address`)
}

function timedOut(apiUrl: string, timeoutMs: number): ServiceError {
  return new ServiceError('TIMEOUT', `${apiUrl} gave no answer within ${timeoutMs / 1000} seconds`)
}

/** What the system says, as ECONNREFUSED: `fetch failed` says nothing. */
function reason(error: unknown): string {
  const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined
  return typeof cause?.code === 'string' ? ` (${cause.code})` : ''
}

import { type Client, createClient } from '#contract/core/client.ts'
import type { CallOptions, FetchLike, RequestParts } from '#contract/core/client-send.ts'
import { ServiceError } from '#contract/core/errors.ts'
import type { Operation } from '#contract/core/operation.ts'
import { TextRequest } from '#contract/core/text-message.ts'
import { type Environment, readConfig } from './config.ts'
import { sendText } from './fast/send-text.ts'
import { createTokenSource, type TokenSource } from './token-source.ts'

export type WorkerClientOptions = { env?: Environment; apiUrl?: string; token?: TokenSource; fetch?: FetchLike }

/** Creates the typed client of a worker. This is the only file of the SDK that calls `fetch`. */
export function createWorkerClient(options: WorkerClientOptions = {}): Client {
  const { env, token = createTokenSource({ ...(env && { env }) }) } = options
  const baseUrl = options.apiUrl ?? readConfig(env).apiUrl
  if (!baseUrl)
    throw new Error('SVC_API_URL is not set. Set it to the address of the instance, such as https://svc.example.com.')
  const client = createTransport(baseUrl, options.fetch)
  return {
    async call(op, input, given = {}) {
      const first = await token()
      try {
        return await client.call(op, input, signed(given, first))
      } catch (error) {
        const second = await anotherToken(op, error, first, token)
        return client.call(op, input, signed(given, second))
      }
    },
    async *stream(op, input, given = {}) {
      const first = await token()
      let begun = false
      try {
        for await (const event of client.stream(op, input, signed(given, first))) {
          begun = true
          yield event
        }
      } catch (error) {
        if (begun) throw error
        const second = await anotherToken(op, error, first, token)
        yield* client.stream(op, input, signed(given, second))
      }
    },
    async upload(op, input, body, given = {}) {
      return client.upload(op, input, body, { ...given, ...signed(given, await token()) })
    },
  }
}

/** Calls go over `node:http` unless the caller has a `fetch` of its own. Streams and uploads always use `fetch`. */
function createTransport(baseUrl: string, own: FetchLike | undefined): Client {
  const client = createClient({ baseUrl, fetch: own ?? send })
  if (own) return client
  const makeRequest = (url: string, parts: RequestParts) => new TextRequest(url, parts) as unknown as Request
  const { call } = createClient({
    baseUrl,
    fetch: (request) => sendCall(request as unknown as TextRequest),
    makeRequest,
  })
  return { ...client, call }
}

/** Tries `fetch` where nothing answered, because the program may have told it of a proxy. Calls can be repeated. */
async function sendCall(request: TextRequest): Promise<Response> {
  try {
    return await sendText(request)
  } catch {
    const { url, signal, parts } = request
    return send(new Request(url, { method: parts.method, headers: parts.headers, body: parts.body ?? null, signal }))
  }
}

async function send(request: Request): Promise<Response> {
  try {
    // Redirects are not followed, because that would send the token to another address.
    return await fetch(request, { redirect: 'manual' })
  } catch (cause) {
    if (request.signal.aborted) throw cause
    throw new ServiceError('UNAVAILABLE', `Cannot reach ${new URL(request.url).origin}. Check that it is running.`, {
      cause,
    })
  }
}

function signed(options: CallOptions, token: string): CallOptions {
  return { ...options, headers: { ...options.headers, authorization: `Bearer ${token}` } }
}

/** Returns a newer token for one retry of a read that was refused with a replaced token. Otherwise rethrows the error. */
async function anotherToken(op: Operation, error: unknown, refused: string, token: TokenSource): Promise<string> {
  if (op.effect !== 'read' || !(error instanceof ServiceError) || error.code !== 'INVALID_TOKEN') throw error
  const fresh = await token()
  if (fresh === refused) throw error
  return fresh
}

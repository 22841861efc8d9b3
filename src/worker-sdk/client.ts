import { type CallOptions, type Client, createClient, type FetchLike } from '#contract/core/client.ts'
import { ServiceError } from '#contract/core/errors.ts'
import type { Operation } from '#contract/core/operation.ts'
import { type Environment, readConfig } from './config.ts'
import { createTokenSource, type TokenSource } from './token-source.ts'

export type WorkerClientOptions = { env?: Environment; apiUrl?: string; token?: TokenSource; fetch?: FetchLike }

/** The typed client of a worker. The only file of the SDK that names `fetch`. */
export function createWorkerClient(options: WorkerClientOptions = {}): Client {
  const { env, token = createTokenSource({ ...(env && { env }) }) } = options
  const baseUrl = options.apiUrl ?? readConfig(env).apiUrl
  if (!baseUrl)
    throw new Error('SVC_API_URL is not set. Set it to the address of the instance, such as https://svc.example.com.')
  const client = createClient({ baseUrl, fetch: options.fetch ?? send })
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

async function send(request: Request): Promise<Response> {
  try {
    // Followed, a redirect would carry the token to wherever it points.
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

/** A read refused with a token that was replaced meanwhile may be asked once more; everything else stays an error. */
async function anotherToken(op: Operation, error: unknown, refused: string, token: TokenSource): Promise<string> {
  if (op.effect !== 'read' || !(error instanceof ServiceError) || error.code !== 'INVALID_TOKEN') throw error
  const fresh = await token()
  if (fresh === refused) throw error
  return fresh
}

import { type Client, createClient } from '#contract/core/client.ts'
import type { CallOptions, FetchLike } from '#contract/core/client-send.ts'
import { ServiceError } from '#contract/core/errors.ts'
import type { Operation } from '#contract/core/operation.ts'
import { type Environment, readConfig } from './config.ts'
import { createTokenSource, type TokenSource } from './token-source.ts'

export type WorkerClientOptions = { env?: Environment; apiUrl?: string; token?: TokenSource; fetch?: FetchLike }

/** Creates the typed client of a worker. This is the only file of the SDK that calls `fetch`. */
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

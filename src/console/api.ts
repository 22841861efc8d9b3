import { type Client, createClient } from '#contract/core/client.ts'
import { ServiceError } from '#contract/core/errors.ts'

/** The typed client, same origin. The only file of the console that names `fetch`. */
export function connect(apiKey: string): Client {
  return createClient({
    baseUrl: location.origin,
    headers: () => ({ authorization: `Bearer ${apiKey}`, 'x-svc-client': 'console' }),
    fetch: (request) => fetch(request).catch(unreachable),
  })
}

function unreachable(cause: unknown): never {
  if (cause instanceof DOMException && cause.name === 'AbortError') throw cause
  throw new ServiceError('UNAVAILABLE', 'The service cannot be reached. Is it running?', { cause })
}

import { type Client, createClient } from '#contract/core/client.ts'
import { ServiceError } from '#contract/core/errors.ts'

/** Opens the typed client for the origin of the page. This is the only file of the console that calls `fetch`. */
export function connect(apiKey: string): Client {
  return createClient({
    baseUrl: location.origin,
    headers: () => ({ authorization: `Bearer ${apiKey}`, 'x-svc-client': 'console' }),
    fetch: (request) => fetch(request).catch(unreachable),
  })
}

function unreachable(cause: unknown): never {
  if (cause instanceof DOMException && cause.name === 'AbortError') throw cause
  throw new ServiceError('UNAVAILABLE', 'Cannot reach the service. Check that it is running.', { cause })
}

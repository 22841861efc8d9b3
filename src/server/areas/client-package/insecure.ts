import { ServiceError } from '#contract/core/errors.ts'
import { isThisMachine } from '#lib/net/address/loopback.ts'

/**
 * Whether the client may be downloaded at this address: over https, or without leaving the machine. `requestUrl` counts
 * too, because a server without a configured address takes its own for that of its users.
 */
export function isServedAt(baseUrl: string, requestUrl: string): boolean {
  const base = new URL(baseUrl)
  if (base.protocol === 'https:') return true
  return isThisMachine(base.hostname) && isThisMachine(new URL(requestUrl).hostname)
}

/** Throws where anyone on the network could replace the program before it is installed. */
export function refuseInsecure(baseUrl: string, requestUrl: string): void {
  if (isServedAt(baseUrl, requestUrl)) return
  const address = isThisMachine(new URL(baseUrl).hostname) ? new URL(requestUrl).origin : baseUrl
  throw new ServiceError(
    'FORBIDDEN',
    `The client is not served over plain http: anyone between you and ${address} could replace it. ` +
      'Its operator sets SVC_REDIRECT_BASE_URL to an https address.',
  )
}

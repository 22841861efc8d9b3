import type { ServiceFetch } from '#edge/route/route.ts'
import { isLoopback } from '#lib/net/address/loopback.ts'
import { ENDPOINT_NAMES } from './endpoints.ts'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'
const OWN_PATH = '/mcp'

/**
 * Returns the address of the endpoints as the caller named it. On a machine without a configured address its three
 * loopback names mean the same server, and an agent refuses metadata under another name than the one it was given.
 */
export function seenAs(mcpUrl: string, host: string | null): string {
  const own = new URL(mcpUrl)
  const named = URL.parse(`http://${host}`)
  const isSame = named && named.port === own.port && [own, named].every((url) => isLoopback(url.hostname))
  return isSame ? `${own.protocol}//${named.host}${own.pathname}` : mcpUrl
}

/** Returns the address of a resource's metadata. The well-known part stands before the path (RFC 9728 section 3.1). */
export function metadataUrl(resource: string): string {
  const { origin, pathname } = new URL(resource)
  return `${origin}${WELL_KNOWN}${pathname}`
}

/** Wraps a service for endpoints with an address of their own, so that requests reach its routes under `/mcp`. */
export function servedAt(mcpUrl: string, service: ServiceFetch): ServiceFetch {
  return (request, info) => {
    const url = new URL(request.url)
    const path = toOwnPath(url.pathname, mcpUrl)
    if (path === url.pathname) return service(request, info)
    url.pathname = path
    const { method, headers, body, signal } = request
    const init: RequestInit & { duplex: 'half' } = { method, headers, body, signal, duplex: 'half' }
    return service(new Request(url, init), info)
  }
}

/** Returns the path of our own route for a path under the configured address, and any other path unchanged. */
export function toOwnPath(path: string, mcpUrl: string): string {
  const base = new URL(mcpUrl).pathname.replace(/\/$/, '')
  if (base === OWN_PATH) return path
  const wellKnown = path.startsWith(`${WELL_KNOWN}/`) ? WELL_KNOWN : ''
  const name = ENDPOINT_NAMES.find((one) => path === `${wellKnown}${base}/${one}`)
  return name === undefined ? path : `${wellKnown}${OWN_PATH}/${name}`
}

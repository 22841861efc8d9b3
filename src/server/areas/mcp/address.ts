import { isLoopback } from '#lib/net/loopback.ts'
import { ENDPOINT_NAMES } from './endpoints.ts'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'
const OWN_PATH = '/mcp'

/**
 * The address of the endpoints as the caller named it. Where none is configured, a machine's own names mean the same
 * server, and an agent compares what we say with what it was given.
 */
export function seenAs(mcpUrl: string, host: string | null): string {
  const own = new URL(mcpUrl)
  const named = URL.parse(`http://${host}`)
  const isSame = named && named.port === own.port && [own, named].every((url) => isLoopback(url.hostname))
  return isSame ? `${own.protocol}//${named.host}${own.pathname}` : mcpUrl
}

/** RFC 9728 section 3.1: the well-known part stands before the path. */
export function metadataUrl(resource: string): string {
  const { origin, pathname } = new URL(resource)
  return `${origin}${WELL_KNOWN}${pathname}`
}

/** On a host of its own the endpoints may stand elsewhere than under `/mcp`: the path as our routes know it. */
export function toOwnPath(path: string, mcpUrl: string): string {
  const base = new URL(mcpUrl).pathname.replace(/\/$/, '')
  if (base === OWN_PATH) return path
  const wellKnown = path.startsWith(`${WELL_KNOWN}/`) ? WELL_KNOWN : ''
  const name = ENDPOINT_NAMES.find((one) => path === `${wellKnown}${base}/${one}`)
  return name === undefined ? path : `${wellKnown}${OWN_PATH}/${name}`
}

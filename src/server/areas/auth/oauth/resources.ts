import type { Scope } from '#contract/core/roles.ts'
import { notificationsMcp, platformMcp } from '#contract/mcp.ts'
import { isLoopback, LOOPBACK_NAMES } from '#lib/net/address/loopback.ts'

/** The MCP endpoints that agents can connect to, and the scopes offered at each. */
const ENDPOINTS: Readonly<Record<string, readonly Scope[]>> = {
  platform: platformMcp.access.scope,
  notifications: notificationsMcp.access.scope,
}

export type Resource = { readonly id: string; readonly scopes: readonly Scope[] }

export function defaultResource(mcpUrl: string): Resource {
  return { id: `${mcpUrl}/platform`, scopes: ENDPOINTS.platform! }
}

/** Returns undefined unless `resourceId` is exactly the address of one of our endpoints. */
export function findResource(mcpUrl: string, resourceId: string): Resource | undefined {
  for (const base of loopbackSpellings(mcpUrl)) {
    const [name, scopes] = Object.entries(ENDPOINTS).find(([endpoint]) => resourceId === `${base}/${endpoint}`) ?? []
    if (name !== undefined && scopes) return { id: resourceId, scopes }
  }
  return undefined
}

/** Returns the address with each loopback name, because agents on the same machine are configured with any of them. */
function loopbackSpellings(mcpUrl: string): string[] {
  const url = new URL(mcpUrl)
  if (url.protocol !== 'http:' || !isLoopback(url.hostname)) return [mcpUrl]
  return LOOPBACK_NAMES.map((host) => mcpUrl.replace(`//${url.hostname}`, `//${host}`))
}

/** Returns the requested scopes that the resource offers, or all of them if none are requested. */
export function scopesFor(resource: Resource, scope: string | null): Scope[] {
  const requested = (scope ?? '').split(' ').filter((name) => name !== '')
  if (requested.length === 0) return [...resource.scopes]
  return resource.scopes.filter((name) => requested.includes(name))
}

export const OFFERED_SCOPES: readonly Scope[] = Object.values(ENDPOINTS).flat()

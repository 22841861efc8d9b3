import type { Scope } from '#contract/core/roles.ts'
import { notificationsMcp, platformMcp } from '#contract/mcp.ts'
import { isLoopback, LOOPBACK_NAMES } from '#lib/net/loopback.ts'

/** The MCP endpoints an agent can ask for, and what it can be allowed at each. */
const ENDPOINTS: Readonly<Record<string, readonly Scope[]>> = {
  platform: platformMcp.access.scope,
  notifications: notificationsMcp.access.scope,
}

type Resource = { readonly id: string; readonly scopes: readonly Scope[] }

export function defaultResource(mcpUrl: string): Resource {
  return { id: `${mcpUrl}/platform`, scopes: ENDPOINTS.platform! }
}

/** Undefined for any address that is not one of our endpoints, exactly. */
export function findResource(mcpUrl: string, asked: string): Resource | undefined {
  for (const base of spellings(mcpUrl)) {
    const [name, scopes] = Object.entries(ENDPOINTS).find(([endpoint]) => asked === `${base}/${endpoint}`) ?? []
    if (name !== undefined && scopes) return { id: asked, scopes }
  }
  return undefined
}

/** On a person's own machine the same port has several names, and agents are given any of them. */
function spellings(mcpUrl: string): string[] {
  const url = new URL(mcpUrl)
  if (url.protocol !== 'http:' || !isLoopback(url.hostname)) return [mcpUrl]
  return LOOPBACK_NAMES.map((host) => mcpUrl.replace(`//${url.hostname}`, `//${host}`))
}

/** What is asked for and can be had there; all of it where nothing was asked for. */
export function scopesFor(resource: Resource, asked: string | null): Scope[] {
  const wanted = (asked ?? '').split(' ').filter((scope) => scope !== '')
  if (wanted.length === 0) return [...resource.scopes]
  return resource.scopes.filter((scope) => wanted.includes(scope))
}

export const OFFERED_SCOPES: readonly Scope[] = Object.values(ENDPOINTS).flat()

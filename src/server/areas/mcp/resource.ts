import type { Scope } from '#contract/core/roles.ts'
import { seenAs } from './address.ts'
import { ENDPOINTS, type EndpointName } from './endpoints.ts'

/** An endpoint as an OAuth resource: its address as the caller named it, and the scopes that can be granted there. */
export type Resource = { readonly url: string; readonly issuer: string; readonly scopes: readonly Scope[] }

/** Returns undefined where agents cannot connect. */
export type ResourceOf = (endpoint: EndpointName, request: Request) => Resource | undefined

type Deps = {
  agentsConnect: boolean
  /** Whether the address of the endpoints is configured, so that they have no other name. */
  isConfigured: boolean
  publicUrls: { issuer: string; mcp: string }
}

export function createResources({ agentsConnect, isConfigured, publicUrls }: Deps): ResourceOf {
  if (!agentsConnect) return () => undefined
  return (endpoint, request) => {
    const { issuer, mcp } = publicUrls
    const base = isConfigured ? mcp : seenAs(mcp, request.headers.get('host'))
    return { url: `${base}/${endpoint}`, issuer, scopes: ENDPOINTS[endpoint].op.access.scope }
  }
}

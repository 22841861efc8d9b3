import type { Scope } from '#contract/core/roles.ts'
import { seenAs } from './address.ts'
import { ENDPOINTS, type EndpointName } from './endpoints.ts'

/** An endpoint as an OAuth resource: its address as the caller named it, and what can be granted there. */
export type Resource = { readonly url: string; readonly issuer: string; readonly scopes: readonly Scope[] }

/** Undefined where there are no connectors. */
export type ResourceOf = (endpoint: EndpointName, request: Request) => Resource | undefined

type Deps = {
  connectors: boolean
  /** An address was configured: there is no other. */
  fixed: boolean
  publicUrls: { issuer: string; mcp: string }
}

export function createResources({ connectors, fixed, publicUrls }: Deps): ResourceOf {
  if (!connectors) return () => undefined
  return (endpoint, request) => {
    const { issuer, mcp } = publicUrls
    const base = fixed ? mcp : seenAs(mcp, request.headers.get('host'))
    return { url: `${base}/${endpoint}`, issuer, scopes: ENDPOINTS[endpoint].op.access.scope }
  }
}

import { notFound } from '#contract/core/errors.ts'
import { endpointMetadata, platformMetadata } from '#contract/mcp.ts'
import { type Route, route } from '#edge/route/route.ts'
import { ENDPOINT_NAMES, ENDPOINTS, type EndpointName } from './endpoints.ts'
import type { ResourceOf } from './resource.ts'

/** Serves the metadata (RFC 9728) that tells an agent without a token where to get one. */
export function metadataRoutes(resourceOf: ResourceOf): Route[] {
  return [
    route(platformMetadata, async (_, { request }) => describe('platform', request, resourceOf)),
    route(endpointMetadata, async (input, { request }) => {
      const endpoint = ENDPOINT_NAMES.find((name) => name === input.endpoint)
      if (!endpoint) throw notFound()
      return describe(endpoint, request, resourceOf)
    }),
  ]
}

function describe(endpoint: EndpointName, request: Request, resourceOf: ResourceOf) {
  const resource = resourceOf(endpoint, request)
  if (!resource) throw notFound()
  return {
    resource: resource.url,
    authorization_servers: [resource.issuer],
    scopes_supported: [...resource.scopes],
    bearer_methods_supported: ['header' as const],
    resource_name: ENDPOINTS[endpoint].title,
  }
}

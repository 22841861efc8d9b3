import { AUTHORIZE_PARAMETERS, oauthAuthorize, oauthResume, oauthRevoke, oauthToken } from '#contract/oauth.ts'
import { type Context, type Route, route } from '#edge/route.ts'
import type { OAuthDeps } from './deps.ts'
import type { AuthorizationServer } from './provider.ts'
import { defaultResource, findResource, scopesFor } from './resources.ts'

/** What the library answers by itself. */
export function protocolRoutes(deps: OAuthDeps, server: () => AuthorizationServer): Route[] {
  return [
    route(oauthAuthorize, async (_, { request, clientAddress }) => {
      const url = new URL(request.url)
      const search = plainRequest(url.searchParams, deps.publicUrls().mcp).toString()
      const { headers, signal } = request
      return server().fetch(new Request(`${url.origin}${url.pathname}?${search}`, { headers, signal }), clientAddress)
    }),
    ...[oauthResume, oauthToken, oauthRevoke].map((op) =>
      route(op, async (_: unknown, { request, clientAddress }: Context) => server().fetch(request, clientAddress)),
    ),
  ]
}

const PROMPTS = ['none', 'consent']

/** Pure: what was sent without what nobody here knows, and with what most agents leave out. */
export function plainRequest(sent: URLSearchParams, mcpUrl: string): URLSearchParams {
  const known: readonly string[] = AUTHORIZE_PARAMETERS
  const plain = new URLSearchParams([...sent].filter(([name]) => known.includes(name)))
  // Two of a kind are left as they are, for the library to refuse.
  if (plain.getAll('prompt').length === 1 && !PROMPTS.includes(plain.get('prompt')!)) plain.delete('prompt')
  if (plain.getAll('scope').length > 1 || plain.getAll('resource').length > 1) return plain
  const asked = plain.get('resource')
  const resource = asked === null ? defaultResource(mcpUrl) : findResource(mcpUrl, asked)
  if (resource) {
    const scopes = scopesFor(resource, plain.get('scope'))
    // Nothing of what it wants can be had here: said as it is, so that it is refused as such.
    if (scopes.length > 0) plain.set('scope', scopes.join(' '))
  }
  return plain
}

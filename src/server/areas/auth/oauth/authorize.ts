import { AUTHORIZE_PARAMETERS, oauthAuthorize, oauthResume, oauthRevoke, oauthToken } from '#contract/auth/oauth.ts'
import type { RawOperation } from '#contract/core/operation.ts'
import { type Context, type Route, route } from '#edge/http/route.ts'
import { consentOverPage, tooMuchPage } from './consent-page.ts'
import type { OAuthDeps } from './deps.ts'
import type { AuthorizationServer } from './provider.ts'
import { defaultResource, findResource, scopesFor } from './resources.ts'
import { isTicket } from './ticket.ts'

const MOST_QUERY = 4096

/** What the library answers by itself. */
export function protocolRoutes(deps: OAuthDeps, server: () => AuthorizationServer): Route[] {
  return [
    route(oauthAuthorize, async (_, { request, clientAddress }) => {
      const url = new URL(request.url)
      if (url.search.length > MOST_QUERY || holdsNul(url.search)) return tooMuchPage()
      url.search = plainRequest(url.searchParams, deps.publicUrls().mcp).toString()
      const { headers, signal } = request
      return server().fetch(new Request(url, { headers, signal }), clientAddress)
    }),
    route(oauthResume, async ({ uid, ticket }, { request, clientAddress }) => {
      // Only the browser that was told the ticket goes on: it is the one whose person decided.
      const interaction = await server().provider.Interaction.find(uid)
      if (!isTicket(deps, interaction?.result, ticket)) return consentOverPage()
      return server().fetch(request, clientAddress)
    }),
    formRoute(oauthToken, server),
    formRoute(oauthRevoke, server),
  ]
}

function formRoute(op: RawOperation, server: () => AuthorizationServer): Route {
  return route(op, async (_: unknown, { request, clientAddress }: Context) => {
    const body = await request.text()
    if (holdsNul(body)) return Response.json(NUL_FAULT, { status: 400, headers: { 'cache-control': 'no-store' } })
    const { url, headers, signal } = request
    return server().fetch(new Request(url, { method: 'POST', headers, body, signal }), clientAddress)
  })
}

const NUL_FAULT = { error: 'invalid_request', error_description: 'a value holds a NUL character' }

/** No name, code or address holds one, and no database keeps it. */
function holdsNul(encoded: string): boolean {
  return encoded.includes('%00') || encoded.includes('\0')
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

import { AUTHORIZE_PARAMETERS, oauthAuthorize, oauthResume, oauthRevoke, oauthToken } from '#contract/auth/oauth.ts'
import type { RawOperation } from '#contract/core/operation.ts'
import { type Context, type Route, route } from '#edge/route/route.ts'
import { createExchange, type Issuers, JWT_BEARER } from './company/exchange.ts'
import { TokenRefusal } from './company/token-refusal.ts'
import { consentOverPage, tooMuchPage } from './consent/consent-page.ts'
import { isConsentTicket } from './consent/consent-ticket.ts'
import type { OAuthDeps } from './deps.ts'
import type { AuthorizationServer } from './provider.ts'
import { defaultResource, findResource, scopesFor } from './resources.ts'

const MAX_QUERY_LENGTH = 4096

/** Routes that oidc-provider answers after our own checks: authorize, resume, token and revoke. */
export function protocolRoutes(deps: OAuthDeps, issuers: Issuers, server: () => Promise<AuthorizationServer>): Route[] {
  const exchange = createExchange(deps, issuers)
  return [
    route(oauthAuthorize, async (_, { request, clientAddress }) => {
      const url = new URL(request.url)
      if (url.search.length > MAX_QUERY_LENGTH || containsNul(url.search)) return tooMuchPage()
      url.search = normalizeAuthorizeQuery(url.searchParams, deps.publicUrls.mcp).toString()
      const { headers, signal } = request
      return (await server()).fetch(new Request(url, { headers, signal }), clientAddress)
    }),
    route(oauthResume, async ({ uid, ticket }, { request, clientAddress }) => {
      // Only the browser with the ticket may continue, because its user made the decision.
      const interaction = await (await server()).provider.Interaction.find(uid)
      if (!isConsentTicket(deps, interaction?.result, ticket)) return consentOverPage()
      return (await server()).fetch(request, clientAddress)
    }),
    formRoute(oauthToken, server, (request, form, clientAddress) => {
      if (form.get('grant_type') !== JWT_BEARER) return undefined
      return issuers.size > 0 ? exchange(request, form, clientAddress) : UNSUPPORTED.toResponse(false)
    }),
    formRoute(oauthRevoke, server),
  ]
}

const UNSUPPORTED = new TokenRefusal('unsupported_grant_type', 'this installation takes no assertions of companies')

type OwnAnswer = (
  request: Request,
  form: URLSearchParams,
  clientAddress: string,
) => Promise<Response> | Response | undefined

/** `answer` may answer a form that the library does not. */
function formRoute(op: RawOperation, server: () => Promise<AuthorizationServer>, answer?: OwnAnswer): Route {
  return route(op, async (_: unknown, { request, clientAddress }: Context) => {
    const body = await request.text()
    if (containsNul(body)) return Response.json(NUL_FAULT, { status: 400, headers: { 'cache-control': 'no-store' } })
    const own = await answer?.(request, new URLSearchParams(body), clientAddress)
    if (own) return own
    const { url, headers, signal } = request
    return (await server()).fetch(new Request(url, { method: 'POST', headers, body, signal }), clientAddress)
  })
}

const NUL_FAULT = { error: 'invalid_request', error_description: 'a value contains a NUL character' }

/** NUL never occurs in a valid value, and Postgres cannot store it. */
function containsNul(encoded: string): boolean {
  return encoded.includes('%00') || encoded.includes('\0')
}

const PROMPTS = ['none', 'consent']

/** Removes unknown parameters from an authorization request and adds the resource's scopes if none are given. */
export function normalizeAuthorizeQuery(query: URLSearchParams, mcpUrl: string): URLSearchParams {
  const supported: readonly string[] = AUTHORIZE_PARAMETERS
  const normalized = new URLSearchParams([...query].filter(([name]) => supported.includes(name)))
  // Repeated parameters stay as they are, so that the library refuses them.
  if (normalized.getAll('prompt').length === 1 && !PROMPTS.includes(normalized.get('prompt')!))
    normalized.delete('prompt')
  if (normalized.getAll('scope').length > 1 || normalized.getAll('resource').length > 1) return normalized
  const resourceId = normalized.get('resource')
  const resource = resourceId === null ? defaultResource(mcpUrl) : findResource(mcpUrl, resourceId)
  if (resource) {
    const scopes = scopesFor(resource, normalized.get('scope'))
    // If none of the requested scopes is offered, the request stays as it is and the library refuses it.
    if (scopes.length > 0) normalized.set('scope', scopes.join(' '))
  }
  return normalized
}

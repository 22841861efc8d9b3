import { createSecretKey, generateKeyPairSync } from 'node:crypto'
import { type Configuration, errors, interactionPolicy, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import { ACCESS_TOKEN_SECONDS, accessTokenKey } from '#edge/credentials/access-token.ts'
import { toServiceError } from '#edge/format/problem.ts'
import { html } from '#edge/pages/html.ts'
import { pageResponse } from '#edge/pages/page.ts'
import type { Log } from '#lib/log/log.ts'
import { fromNodeHandler } from '#lib/net/node-handler.ts'
import { createAdapter } from './adapter.ts'
import {
  CODE_SECONDS,
  CONSENT_PATH,
  DAY_MS,
  GRANT_DAYS,
  INTERACTION_COOKIE,
  INTERACTION_SECONDS,
  type OAuthDeps,
  REFRESH_DAYS,
} from './deps.ts'
import { defaultResource, findResource, OFFERED_SCOPES } from './resources.ts'
import { deriveSuccessors } from './successor.ts'

export type AuthorizationServer = {
  readonly provider: Provider
  readonly fetch: (request: Request, clientAddress: string) => Promise<Response>
}

/**
 * Runs the OAuth protocol (codes, PKCE, tokens, rotation) with the library oidc-provider. Clients, consent and storage
 * are our own code; only this file, adapter.ts and successor.ts depend on the library.
 */
export function createAuthorizationServer(deps: OAuthDeps): AuthorizationServer {
  const { issuer } = deps.publicUrls
  const provider = new Provider(issuer, configure(deps))
  deriveSuccessors(provider, deps.keys)
  // oxlint-disable-next-line oxc/no-async-endpoint-handlers -- Koa awaits what it runs
  provider.use(createAfterResponse(provider, deps.log))
  const run = fromNodeHandler(provider.callback())
  return {
    provider,
    // The library builds URLs from the address of the request, so that must be the public one.
    fetch: async (request, clientAddress) => {
      const { pathname, search } = new URL(request.url)
      return withoutSessionCookie(await run(withUrl(request, `${issuer}${pathname}${search}`), clientAddress))
    },
  }
}

function configure(deps: OAuthDeps): Configuration {
  const key = createSecretKey(accessTokenKey(deps.jwtSecret))
  const consent = new interactionPolicy.Prompt(
    { name: 'consent', requestable: true },
    new interactionPolicy.Check('approval', 'the person must approve', 'consent_required', needsApproval),
  )
  return {
    adapter: createAdapter(deps),
    scopes: [...OFFERED_SCOPES],
    claims: {},
    responseTypes: ['code'],
    clientAuthMethods: ['none'],
    extraClientMetadata: { properties: ['identity_digest'] },
    routes: { authorization: '/oauth/authorize', token: '/oauth/token', revocation: '/oauth/revoke' },
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    cookies: {
      keys: [deps.keys.oauthCookie],
      names: { interaction: INTERACTION_COOKIE, resume: 'svc_resume', session: SESSION_COOKIE },
      short: { httpOnly: true, sameSite: 'lax' },
      long: { httpOnly: true, sameSite: 'lax' },
    },
    // The library requires a signing key, although no ID token is ever issued.
    jwks: { keys: [unusedKey()] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      revocation: { enabled: true, allowedPolicy: (_, client, token) => token.clientId === client.clientId },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => defaultResource(deps.publicUrls.mcp).id,
        useGrantedResource: () => true,
        getResourceServerInfo: (ctx, resourceId) => {
          const isRepeated = Array.isArray(ctx.oidc.params?.resource) && ctx.oidc.params.resource.length > 1
          const resource = isRepeated ? undefined : findResource(deps.publicUrls.mcp, resourceId)
          if (!resource) throw new errors.InvalidTarget('unknown resource')
          return {
            scope: resource.scopes.join(' '),
            audience: resource.id,
            accessTokenTTL: ACCESS_TOKEN_SECONDS,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: 'HS256', key } },
          }
        },
      },
    },
    ttl: {
      AccessToken: ACCESS_TOKEN_SECONDS,
      AuthorizationCode: CODE_SECONDS,
      Interaction: INTERACTION_SECONDS,
      Session: INTERACTION_SECONDS,
      Grant: (GRANT_DAYS * DAY_MS) / 1000,
      RefreshToken: (REFRESH_DAYS * DAY_MS) / 1000,
    },
    // Grants outlive the browser session: signing out ends none.
    expiresWithSession: () => false,
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    extraTokenClaims: (_, token) => ({ gid: 'grantId' in token ? token.grantId : undefined }),
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    loadExistingGrant: async (ctx) => {
      const grantId = ctx.oidc.result?.consent?.grantId
      return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId)
    },
    interactions: { policy: [consent], url: (_, { uid }) => consentUrl(deps, uid) },
    clientBasedCORS: () => false,
    renderError,
  }
}

/**
 * Requires approval for every authorization, because a later request with the same client id may be another program.
 */
function needsApproval(ctx: KoaContextWithOIDC): boolean {
  const offered = Object.values(ctx.oidc.resourceServers ?? {}).flatMap(({ scopes }) => [...scopes])
  if (!offered.some((scope) => ctx.oidc.requestParamScopes.has(scope))) {
    throw new errors.InvalidScope('none of the requested scopes is available', ctx.oidc.params?.scope as string)
  }
  return ctx.oidc.result?.consent === undefined
}

function unusedKey() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
}

/** Returns the consent page on the host where users sign in, which may differ from the issuer's. */
function consentUrl({ publicUrls }: OAuthDeps, uid: string): string {
  return `${publicUrls.signIn}${CONSENT_PATH}/${uid}`
}

/** Runs after the library has answered: logs or rewrites its faults, and deletes codes that were tried in vain. */
function createAfterResponse(provider: Provider, log: Log) {
  const faults = new WeakMap<object, unknown>()
  provider.on('server_error', (ctx, error) => void faults.set(ctx, error))
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next()
    if (faults.has(ctx)) answerFault(ctx, faults.get(ctx), log)
    await deleteFailedCode(ctx).catch((error: unknown) =>
      log.error({ error }, 'an authorization code could not be invalidated'),
    )
  }
}

/**
 * Answers 503 with Retry-After if the store was unavailable, because the client can send the same request again. With
 * `server_error`, the library's own answer, clients make the person sign in again; a fault of ours is no reason for it.
 */
function answerFault(ctx: KoaContextWithOIDC, fault: unknown, log: Log): void {
  const refusal = toServiceError(fault)
  if (refusal.status !== 503) log.error({ error: fault }, 'the authorization server failed')
  if (ctx.oidc?.route === 'token') {
    ctx.body = { error: 'temporarily_unavailable', error_description: refusal.message }
    ctx.status = refusal.status
  }
  if (refusal.status !== 503) return
  ctx.status = 503
  ctx.set('retry-after', String(refusal.retryAfterSeconds ?? 1))
}

/** Deletes a code after a failed token request, because it may have leaked. */
async function deleteFailedCode({ oidc, status }: Partial<KoaContextWithOIDC> & { status: number }): Promise<void> {
  const code = oidc?.params?.code
  if (oidc?.route !== 'token' || status < 400 || status >= 500 || typeof code !== 'string') return
  const found = await oidc.provider.AuthorizationCode.find(code)
  if (found?.isValid) await found.destroy()
}

/** Renders the page for errors that cannot be sent to the agent, because its client id or redirect URI is not valid. */
async function renderError(ctx: KoaContextWithOIDC, out: { error: string; error_description?: string | undefined }) {
  const page = pageResponse({
    title: 'This agent cannot be connected',
    status: ctx.status,
    body: html`<p>${out.error_description ?? out.error}</p>
${out.error === 'invalid_redirect_uri' && REDIRECT_HELP}
<p class="soft">Error <code>${out.error}</code>. Start again from the agent. If it happens again, report it to the maker of the agent.</p>`,
  })
  for (const [name, value] of page.headers) ctx.set(name, value)
  ctx.body = await page.text()
}

const REDIRECT_HELP = html`<p>The redirect URI must exactly match a registered one.
Only a loopback address that was registered without a port matches any port. For agents that register one port and use
another, the operator of this service can set <code>SVC_LOOPBACK_ANY_PORT=true</code>.</p>`

const SESSION_COOKIE = 'svc_oauth_session'

/** Removes the library's session cookie, because its session is not used after the request. */
async function withoutSessionCookie(response: Response): Promise<Response> {
  const headers = new Headers(response.headers)
  headers.delete('set-cookie')
  for (const cookie of response.headers.getSetCookie()) {
    if (!cookie.startsWith(SESSION_COOKIE)) headers.append('set-cookie', cookie)
  }
  // Read as bytes rather than streamed, so that the response has a content-length.
  const body = response.body === null ? null : await response.arrayBuffer()
  return new Response(body, { status: response.status, headers })
}

function withUrl(request: Request, url: string): Request {
  const init: RequestInit & { duplex: 'half' } = {
    method: request.method,
    headers: request.headers,
    body: request.body,
    signal: request.signal,
    duplex: 'half',
  }
  return new Request(url, init)
}

import { createSecretKey, generateKeyPairSync } from 'node:crypto'
import { type Configuration, errors, interactionPolicy, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import { ACCESS_TOKEN_SECONDS, accessTokenKey } from '#edge/credentials/access-token.ts'
import { toServiceError } from '#edge/http/problem.ts'
import { html } from '#edge/pages/html.ts'
import { pageResponse } from '#edge/pages/page.ts'
import type { Log } from '#lib/log.ts'
import { fromNodeHandler } from '#lib/node-handler.ts'
import { createAdapter } from './adapter.ts'
import { CODE_SECONDS, DAY_MS, GRANT_DAYS, INTERACTION_SECONDS, type OAuthDeps, REFRESH_DAYS } from './deps.ts'
import { defaultResource, findResource, OFFERED_SCOPES } from './resources.ts'

export const CONSENT_PATH = '/oauth/consent'
export const INTERACTION_COOKIE = 'svc_consent'

export type AuthorizationServer = {
  readonly provider: Provider
  readonly fetch: (request: Request, clientAddress: string) => Promise<Response>
}

/**
 * The protocol itself: codes, PKCE, tokens, their rotation. Who may ask, who a client is, what a person allows and
 * where all that is kept is ours; nothing else knows that this library stands behind it.
 */
export function createAuthorizationServer(deps: OAuthDeps): AuthorizationServer {
  const { issuer } = deps.publicUrls()
  const provider = new Provider(issuer, configure(deps))
  // oxlint-disable-next-line oxc/no-async-endpoint-handlers -- Koa awaits what it runs
  provider.use(createAfterwards(provider, deps.log))
  const run = fromNodeHandler(provider.callback())
  return {
    provider,
    // The handler believes the address it is called by: it must be the one agents see.
    fetch: async (request, clientAddress) => {
      const { pathname, search } = new URL(request.url)
      return withoutSessionCookie(await run(moved(request, `${issuer}${pathname}${search}`), clientAddress))
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
    // No ID token is ever made; the library wants a key all the same.
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
        defaultResource: () => defaultResource(deps.publicUrls().mcp).id,
        useGrantedResource: () => true,
        getResourceServerInfo: (ctx, asked) => {
          const several = Array.isArray(ctx.oidc.params?.resource) && ctx.oidc.params.resource.length > 1
          const resource = several ? undefined : findResource(deps.publicUrls().mcp, asked)
          if (!resource) throw new errors.InvalidTarget('there is no such resource here')
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
    // Approvals outlive the browser session: signing out ends none.
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

/** Always, each time: an approval is for one connection, and what asks again may be something else. */
function needsApproval(ctx: KoaContextWithOIDC): boolean {
  const offered = Object.values(ctx.oidc.resourceServers ?? {}).flatMap(({ scopes }) => [...scopes])
  if (!offered.some((scope) => ctx.oidc.requestParamScopes.has(scope))) {
    throw new errors.InvalidScope('none of these scopes can be had here', ctx.oidc.params?.scope as string)
  }
  return ctx.oidc.result?.consent === undefined
}

function unusedKey() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
}

/** Where the person's session is, which need not be where agents find us. */
function consentUrl({ publicUrls }: OAuthDeps, uid: string): string {
  return `${publicUrls().signIn}${CONSENT_PATH}/${uid}`
}

/** What the library leaves to do once it has answered. */
function createAfterwards(provider: Provider, log: Log) {
  const faults = new WeakMap<object, unknown>()
  provider.on('server_error', (ctx, error) => void faults.set(ctx, error))
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next()
    if (faults.has(ctx)) answerFault(ctx, faults.get(ctx), log)
    await burnCodeOfFailure(ctx).catch((error: unknown) => log.error({ error }, 'a code could not be burnt'))
  }
}

/** A store that cannot be asked now is no fault of the request: it can be sent again. */
function answerFault(ctx: KoaContextWithOIDC, fault: unknown, log: Log): void {
  const refusal = toServiceError(fault)
  if (refusal.status !== 503) {
    log.error({ error: fault }, 'the authorization server failed')
    return
  }
  ctx.status = 503
  ctx.set('retry-after', String(refusal.retryAfterSeconds ?? 1))
}

/** A code that was tried in vain was seen by somebody: it is not to be tried again. */
async function burnCodeOfFailure({ oidc, status }: Partial<KoaContextWithOIDC> & { status: number }): Promise<void> {
  const code = oidc?.params?.code
  if (oidc?.route !== 'token' || status < 400 || status >= 500 || typeof code !== 'string') return
  const found = await oidc.provider.AuthorizationCode.find(code)
  if (found?.isValid) await found.destroy()
}

/** The page for faults that cannot be sent back to the agent, because client or redirect are not known to be good. */
async function renderError(ctx: KoaContextWithOIDC, out: { error: string; error_description?: string | undefined }) {
  const page = pageResponse({
    title: 'This agent cannot be connected',
    status: ctx.status,
    body: html`<p>${out.error_description ?? out.error}</p>
${out.error === 'invalid_redirect_uri' && REDIRECT_HELP}
<p class="soft">Error <code>${out.error}</code>. Start again from the agent; if it comes back, tell its makers.</p>`,
  })
  for (const [name, value] of page.headers) ctx.set(name, value)
  ctx.body = await page.text()
}

const REDIRECT_HELP = html`<p>The address to go back to must be a registered one, letter by letter. Only a loopback address that was
registered without a port may have any port. For agents that register one port and use another, whoever runs this
service can set <code>SVC_LOOPBACK_ANY_PORT=true</code>.</p>`

const SESSION_COOKIE = 'svc_oauth_session'

/** The library's own session lasts one request; there is nothing to remember it for. */
async function withoutSessionCookie(response: Response): Promise<Response> {
  const headers = new Headers(response.headers)
  headers.delete('set-cookie')
  for (const cookie of response.headers.getSetCookie()) {
    if (!cookie.startsWith(SESSION_COOKIE)) headers.append('set-cookie', cookie)
  }
  // As bytes, not as a stream: then its length goes along.
  const body = response.body === null ? null : await response.arrayBuffer()
  return new Response(body, { status: response.status, headers })
}

function moved(request: Request, url: string): Request {
  const init: RequestInit & { duplex: 'half' } = {
    method: request.method,
    headers: request.headers,
    body: request.body,
    signal: request.signal,
    duplex: 'half',
  }
  return new Request(url, init)
}

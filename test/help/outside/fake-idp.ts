import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'

/** Issuer of the provider that is neither Google nor Microsoft. */
export const GENERIC_ISSUER = 'https://id.company.test/realms/staff'
export const CONSUMERS_TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad'

/** Claims of the person who signs in. They override those of the provider, so that tests can send wrong ones. */
export type Claims = Record<string, unknown> & { sub: string }

export type FakeIdp = AsyncDisposable & {
  /** Replaces the network: requests to the real providers arrive here. */
  outgoing: (request: Request) => Promise<Response>
  /**
   * Confirms the provider's page and returns where the browser is redirected. `userInfo` is the answer of the UserInfo
   * endpoint, which only the generic provider has.
   */
  authorize(url: string, claims: Claims, userInfo?: Claims): string
  /** Signs with a key that is not published, until called again with false. */
  useForeignKey(on: boolean): void
  /** Signs in another way until called with 'key': not at all, or with the client secret. */
  signWith(how: Signing): void
  /** Signs an identity assertion (ID-JAG) as `signWith` and `useForeignKey` say. */
  assertion(claims: Record<string, unknown>, header?: Record<string, unknown>): Promise<string>
  /** Replaces the published key by a new one with another id. */
  rotateKey(): Promise<void>
  /** Changes the metadata of the generic provider. */
  describe(metadata: Record<string, unknown>): void
  /** Fails every request. */
  unplug(on: boolean): void
  credentials: { clientId: string; clientSecret: string }
}

type Signing = 'key' | 'none' | 'secret'
type Pending = {
  claims: Claims
  userInfo: Claims
  issuer: string
  nonce: string | null
  challenge: string
  redirectUri: string
}

/**
 * Starts fakes of Google, Microsoft and another provider on loopback: discovery, codes with PKCE, keys and signed ID
 * tokens. The other one also has a UserInfo endpoint, and takes the client secret in the Authorization header only.
 */
export async function startFakeIdp(): Promise<FakeIdp> {
  const keys = { own: await generateKeyPair('RS256'), foreign: await generateKeyPair('RS256') }
  const publish = async (kid: string) => ({
    keys: [{ ...(await exportJWK(keys.own.publicKey)), kid, alg: 'RS256', use: 'sig' }],
  })
  let jwks = await publish('k1')
  let genericMetadata: Record<string, unknown> = {}
  let signing: Signing = 'key'
  const userInfos = new Map<string, Claims>()
  const credentials = { clientId: 'client-1', clientSecret: 'client-secret-of-this-test' }
  const codes = new Map<string, Pending>()
  let foreign = false
  let unplugged = false

  const server = createServer((request, response) => {
    answer(request).then(
      ({ status, body }) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      },
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  async function answer(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    const [, host = '', ...rest] = request.url!.split('/')
    const path = `/${rest.join('/')}`
    if (path.endsWith('/.well-known/openid-configuration'))
      return { status: 200, body: discovery(host, path, genericMetadata) }
    if (path.endsWith('/keys')) return { status: 200, body: jwks }
    if (path.endsWith('/token')) return token(new URLSearchParams(await text(request)), request.headers.authorization)
    if (path.endsWith('/userinfo')) return userInfo(request.headers.authorization)
    return { status: 404, body: {} }
  }

  function userInfo(authorization = '') {
    const claims = userInfos.get(authorization)
    return claims ? { status: 200, body: claims } : { status: 401, body: { error: 'invalid_token' } }
  }

  function isClient(form: URLSearchParams, authorization: string | undefined, issuer: string | undefined): boolean {
    const { clientId, clientSecret } = credentials
    if (issuer === GENERIC_ISSUER) {
      return authorization === `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
    }
    return form.get('client_id') === clientId && form.get('client_secret') === clientSecret
  }

  async function token(form: URLSearchParams, authorization: string | undefined) {
    const code = form.get('code') ?? ''
    const pending = codes.get(code)
    codes.delete(code)
    const proof = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const good =
      isClient(form, authorization, pending?.issuer) &&
      pending?.challenge === proof &&
      pending.redirectUri === form.get('redirect_uri')
    if (!good) return { status: 400, body: { error: 'invalid_grant' } }
    const id_token = await sign(pending)
    const access_token = randomBytes(16).toString('hex')
    userInfos.set(`Bearer ${access_token}`, pending.userInfo)
    return { status: 200, body: { access_token, token_type: 'Bearer', expires_in: 60, id_token } }
  }

  function sign({ issuer, nonce, claims }: Pending): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const standard = {
      iss: issuer,
      aud: credentials.clientId,
      iat: now,
      exp: now + 300,
      ...(nonce !== null && { nonce }),
    }
    const defined = Object.entries({ ...standard, ...claims }).filter(([, value]) => value !== undefined)
    const payload = Object.fromEntries(defined)
    if (signing === 'none') return Promise.resolve(new UnsecuredJWT(payload).encode())
    if (signing === 'secret') {
      const secret = new TextEncoder().encode(credentials.clientSecret.padEnd(32, '.'))
      return new SignJWT(payload).setProtectedHeader({ alg: 'HS256' }).sign(secret)
    }
    return new SignJWT(payload)
      .setProtectedHeader({ alg: 'RS256', kid: jwks.keys[0]!.kid })
      .sign((foreign ? keys.foreign : keys.own).privateKey)
  }

  return {
    credentials,
    assertion: (claims, header = {}) => {
      const head = { alg: 'RS256', kid: jwks.keys[0]!.kid, typ: 'oauth-id-jag+jwt', ...header }
      const payload = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined))
      return new SignJWT(payload).setProtectedHeader(head).sign((foreign ? keys.foreign : keys.own).privateKey)
    },
    useForeignKey: (on) => {
      foreign = on
    },
    signWith: (how) => {
      signing = how
    },
    rotateKey: async () => {
      keys.own = await generateKeyPair('RS256')
      jwks = await publish(randomBytes(4).toString('hex'))
    },
    describe: (changes) => {
      genericMetadata = changes
    },
    unplug: (on) => {
      unplugged = on
    },
    outgoing: async (request) => {
      if (unplugged) throw await refused(request)
      const { host, pathname, search } = new URL(request.url)
      const body = request.body ? await request.text() : null
      return fetch(`http://127.0.0.1:${port}/${host}${pathname}${search}`, {
        method: request.method,
        headers: {
          'content-type': request.headers.get('content-type') ?? '',
          authorization: request.headers.get('authorization') ?? '',
        },
        body,
      })
    },
    authorize: (url, claims, userInfoClaims = { sub: claims.sub }) => {
      const { host, searchParams: asked } = new URL(url)
      const parameter = (name: string) => {
        const value = asked.get(name)
        if (value === null) throw new Error(`the authorization request has no ${name}`)
        return value
      }
      if (parameter('client_id') !== credentials.clientId) throw new Error('unknown client')
      if (parameter('code_challenge_method') !== 'S256') throw new Error('PKCE must be S256')
      const code = randomBytes(16).toString('hex')
      const redirectUri = parameter('redirect_uri')
      const issuer = issuerOf(host, String(claims.tid))
      codes.set(code, {
        claims,
        userInfo: userInfoClaims,
        issuer,
        nonce: asked.get('nonce'),
        challenge: parameter('code_challenge'),
        redirectUri,
      })
      return `${redirectUri}?${new URLSearchParams({ code, state: parameter('state'), authuser: '0', scope: 'openid' })}`
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function refused(request: Request): Promise<Error> {
  const { OperatorFetchError } = await import('#lib/net/operator-fetch.ts')
  return new OperatorFetchError(`no answer from ${new URL(request.url).origin}`)
}

function issuerOf(host: string, tid: string): string {
  if (host === new URL(GENERIC_ISSUER).host) return GENERIC_ISSUER
  return host === 'accounts.google.com' ? 'https://accounts.google.com' : `https://${host}/${tid}/v2.0`
}

function discovery(host: string, path: string, genericMetadata: Record<string, unknown>) {
  if (host === new URL(GENERIC_ISSUER).host) {
    const endpoint = `${GENERIC_ISSUER}/protocol`
    const own = { ...metadata(GENERIC_ISSUER, endpoint, endpoint), userinfo_endpoint: `${endpoint}/userinfo` }
    return { ...own, ...genericMetadata }
  }
  if (host === 'accounts.google.com') {
    return metadata(
      'https://accounts.google.com',
      'https://accounts.google.com/o/oauth2',
      'https://oauth2.googleapis.com',
    )
  }
  const tenant = path.split('/')[1]!
  const named = tenant === 'consumers' ? CONSUMERS_TENANT : /^[0-9a-f-]{36}$/.test(tenant) ? tenant : '{tenantid}'
  const base = `https://${host}/${tenant}`
  return metadata(`https://${host}/${named}/v2.0`, `${base}/oauth2/v2.0`, `${base}/oauth2/v2.0`)
}

function metadata(issuer: string, authorize: string, token: string) {
  return {
    issuer,
    authorization_endpoint: `${authorize}/authorize`,
    token_endpoint: `${token}/token`,
    jwks_uri: `${token}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
  }
}

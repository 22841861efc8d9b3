import { createHash, randomBytes } from 'node:crypto'
import type { Role } from '#contract/core/roles.ts'
import type { Browser } from '../browser/browser.ts'
import { APP, googleUser, type SignIn, startSignIn } from '../sign-in.ts'
import type { System, SystemOptions } from '../system.ts'

export const ISSUER = APP
export const PLATFORM = `${APP}/mcp/platform`
export const REDIRECT = 'http://127.0.0.1:33418/callback'

export type Person = { browser: Browser; org_id: string; user_id: string; email: string; token: string }
export type Answer = { status: number; body: Record<string, string>; headers: Headers }
export type Tokens = { access_token: string; refresh_token: string; scope: string }
type Asking = Record<string, string | string[] | undefined>

/** A running system with signed-in users, and the agent's side of OAuth. */
export type Connector = AsyncDisposable & {
  system: System
  signIn: SignIn
  person(role?: Role, orgId?: string): Promise<Person>
  register(metadata?: object, address?: string): Promise<Answer>
  /** Registers a client and returns its id. */
  client(redirectUri?: string): Promise<string>
  authorize(browser: Browser, asked: Asking): Promise<Response>
  /** Starts an authorization and returns the address of the consent page. */
  ask(person: Person, asked: Asking): Promise<string>
  /** Submits the consent page and returns where the browser is finally redirected. */
  decide(person: Person, page: string, over?: Record<string, string>): Promise<URL>
  /** Runs an authorization up to the code. */
  code(person: Person, clientId: string, over?: Asking): Promise<{ code: string; verifier: string; client_id: string }>
  token(form: Record<string, string>): Promise<Answer>
  redeem(code: { code: string; verifier: string; client_id: string }, over?: Record<string, string>): Promise<Answer>
  /** Runs an authorization up to the tokens. */
  connect(person: Person, clientId: string, over?: Asking): Promise<Tokens>
  refresh(clientId: string, refreshToken: string, over?: Record<string, string>): Promise<Answer>
}

export async function startConnector(options: SystemOptions = {}): Promise<Connector> {
  const signIn = await startSignIn(options)
  const { system } = signIn
  const form = async (path: string, values: Record<string, string>): Promise<Answer> => {
    const response = await fetch(`${system.url}${path}`, { method: 'POST', body: new URLSearchParams(values) })
    return read(response)
  }
  const it: Connector = {
    system,
    signIn,
    person: async (role = 'owner', orgId) => {
      const member = await system.member(role, orgId)
      const browser = signIn.browser()
      await signIn.signIn(browser, 'google', googleUser({ email: member.email }))
      return { ...member, browser }
    },
    register: async (metadata = {}, address) => {
      const body = JSON.stringify({ client_name: 'Test Agent', redirect_uris: [REDIRECT], ...metadata })
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': address ?? randomAddress() }
      return read(await fetch(`${system.url}/oauth/register`, { method: 'POST', body, headers }))
    },
    client: async (redirectUri = REDIRECT) => {
      const { body, status } = await it.register({ redirect_uris: [redirectUri] })
      if (status !== 201) throw new Error(`not registered: ${JSON.stringify(body)}`)
      return body.client_id!
    },
    authorize: (browser, asked) => browser.go(`${ISSUER}/oauth/authorize?${query(asked)}`),
    ask: async ({ browser }, asked) => {
      const response = await it.authorize(browser, asked)
      const location = response.headers.get('location') ?? ''
      if (!location.startsWith(`${ISSUER}/oauth/consent/`))
        throw new Error(`no page: ${response.status} ${location} ${(await response.text()).split('<body>')[1]}`)
      return location
    },
    decide: async ({ browser, org_id }, page, over = {}) => {
      const shown = await (await browser.go(page)).text()
      const scopes = [...shown.matchAll(/name="scope" value="([^"]+)"/g)].map((match) => match[1]!)
      const csrf = /name="csrf" value="([^"]+)"/.exec(shown)?.[1] ?? ''
      const values = { csrf, org_id, decision: 'approve', ...over }
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const sent = new URLSearchParams([...Object.entries(values), ...scopes.map((scope) => ['scope', scope])] as [
        string,
        string,
      ][])
      const decided = await browser.go(page, { headers, text: sent.toString() })
      const resumed = await browser.go(refreshTargetOf(await decided.text()))
      return new URL(resumed.headers.get('location') ?? `about:blank#${resumed.status}`)
    },
    code: async (person, client_id, over = {}) => {
      const { verifier, challenge } = pkce()
      const page = await it.ask(person, asking(client_id, challenge, over))
      const back = await it.decide(person, page)
      const code = back.searchParams.get('code')
      if (!code) throw new Error(`no code: ${back.href}`)
      system.secrets.push(code)
      return { code, verifier, client_id }
    },
    token: (values) => form('/oauth/token', values),
    redeem: ({ code, verifier, client_id }, over = {}) =>
      it.token({
        grant_type: 'authorization_code',
        code,
        code_verifier: verifier,
        client_id,
        redirect_uri: REDIRECT,
        ...over,
      }),
    connect: async (person, clientId, over) => {
      const code = await it.code(person, clientId, over)
      const redirect_uri = typeof over?.redirect_uri === 'string' ? over.redirect_uri : REDIRECT
      const { status, body } = await it.redeem(code, { redirect_uri })
      if (status !== 200) throw new Error(`no tokens: ${JSON.stringify(body)}`)
      system.secrets.push(body.access_token!, body.refresh_token!)
      return body as Tokens
    },
    refresh: (client_id, refresh_token, over = {}) =>
      it.token({ grant_type: 'refresh_token', refresh_token, client_id, ...over }),
    [Symbol.asyncDispose]: () => signIn[Symbol.asyncDispose](),
  }
  return it
}

/** Starts another server of the same installation. */
export function startReplica({ system }: Connector, { env, ...options }: SystemOptions = {}): Promise<Connector> {
  const { jwtSecret, jwtSigningKey, actorAssertionSecret } = system.config.secrets
  const secrets = {
    SVC_JWT_SECRET: jwtSecret,
    SVC_JWT_SIGNING_KEY: jwtSigningKey,
    SVC_ACTOR_ASSERTION_SECRET: actorAssertionSecret,
  }
  return startConnector({ ...options, env: { ...secrets, ...env }, on: system })
}

export function asking(client_id: string, challenge: string, over: Asking = {}): Asking {
  return {
    response_type: 'code',
    client_id,
    redirect_uri: REDIRECT,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'state-of-the-client',
    resource: PLATFORM,
    ...over,
  }
}

export function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

const takenNetworks = new Set<string>()

/** Returns an address in a random /24, because the addresses of one network are counted together. */
export function randomAddress(): string {
  const [a, b, c] = randomBytes(3)
  const network = `10.${a}.${b}`
  if (takenNetworks.has(network)) return randomAddress()
  takenNetworks.add(network)
  return `${network}.${c}`
}

/** Returns the target of the page's meta refresh. */
export function refreshTargetOf(page: string): string {
  const to = /http-equiv="refresh" content="0;url=([^"]+)"/.exec(page)?.[1]
  if (to === undefined) throw new Error(`the page leads nowhere: ${page.split('<main>')[1]}`)
  return to.replaceAll('&amp;', '&')
}

/** Builds a query. Undefined omits a parameter, a list repeats it. */
function query(asked: Asking): string {
  const pairs = Object.entries(asked).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, one]),
  )
  return new URLSearchParams(pairs).toString()
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text()
  const body = text === '' ? {} : (JSON.parse(text) as Record<string, string>)
  return { status: response.status, body, headers: response.headers }
}

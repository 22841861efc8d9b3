import { generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createCompanyClient, setCompanySignOn } from '#contract/auth/company-sign-on.ts'
import { removeMember } from '#contract/auth/members.ts'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { COMPANY_ENV, type Company, makeCompany } from '#test/agents/company.ts'
import { type Answer, type Connector, ISSUER, PLATFORM, startConnector } from '#test/agents/connector.ts'
import { GENERIC_ISSUER } from '#test/outside/fake-idp.ts'

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString('base64')}`
const seconds = (date: Date) => Math.floor(date.getTime() / 1000)
const GRANT = '400 invalid_grant'
const CLIENT = '401 invalid_client'
const REQUEST = '400 invalid_request'
const TARGET = '400 invalid_target'

describe('AU-22 a forged assertion', () => {
  const clock = testClock(new Date())
  let c: Connector
  let company: Company
  let other: Company
  beforeAll(async () => {
    c = await startConnector({ clock, env: COMPANY_ENV })
    company = await makeCompany(c, clock)
    other = await makeCompany(c, clock)
    await company.member('ada')
    await other.member('bob')
    expect((await company.exchange('ada')).status).toBe(200)
    expect((await other.exchange('bob')).status).toBe(200)
  })
  afterAll(() => c?.[Symbol.asyncDispose]())
  // All refusals within one minute would reach the limit of failures.
  beforeEach(() => clock.advance(1_000))

  const outcome = ({ status, body }: Answer) => `${status} ${body.error}`
  const now = () => seconds(clock.now())

  it.each<[string, (at: number) => Record<string, unknown>, string]>([
    ['of another issuer', () => ({ iss: 'https://id.evil.test' }), GRANT],
    ['of the issuer with a slash', () => ({ iss: `${GENERIC_ISSUER}/` }), GRANT],
    ['of the issuer in other letters', () => ({ iss: GENERIC_ISSUER.toUpperCase() }), GRANT],
    ['of Google', () => ({ iss: 'https://accounts.google.com' }), GRANT],
    ['without an issuer', () => ({ iss: undefined }), GRANT],
    ['for another audience', () => ({ aud: 'https://other.example.test' }), GRANT],
    ['for the endpoint as audience', () => ({ aud: PLATFORM }), GRANT],
    ['for the issuer with a slash as audience', () => ({ aud: `${ISSUER}/` }), GRANT],
    ['for several audiences', () => ({ aud: [ISSUER, 'https://other.example.test'] }), GRANT],
    ['for an empty list of audiences', () => ({ aud: [] }), GRANT],
    ['without an audience', () => ({ aud: undefined }), GRANT],
    ['for the client id that signs people in', () => ({ aud: 'client-1' }), GRANT],
    ['for another client', () => ({ client_id: 'oac_other' }), GRANT],
    ['for the client of another company', () => ({ client_id: other.client_id }), GRANT],
    ['without a client', () => ({ client_id: undefined }), GRANT],
    ['with a list of clients', () => ({ client_id: [company.client_id] }), GRANT],
    ['for another organization', () => ({ aud_tenant: other.owner.org_id }), GRANT],
    ['that is limited by authorization_details', () => ({ authorization_details: [{ type: 'read' }] }), GRANT],
    ['that is bound to a key', () => ({ cnf: { jkt: 'x' } }), GRANT],
    ['without a subject', () => ({ sub: undefined }), GRANT],
    ['with an empty subject', () => ({ sub: '' }), GRANT],
    ['with a NUL in the subject', () => ({ sub: 'ada\0' }), GRANT],
    ['of a member of another organization', () => ({ sub: 'bob' }), GRANT],
    ['of nobody', () => ({ sub: 'nobody' }), GRANT],
    ['of a member by their email', () => ({ sub: company.owner.email }), GRANT],
    ['of nobody with the email of the owner', () => ({ sub: 'nobody', email: company.owner.email }), GRANT],
    ['that has expired', (at) => ({ iat: at - 300, exp: at - 1 }), GRANT],
    ['that expires now', (at) => ({ iat: at - 300, exp: at }), GRANT],
    ['without an expiry', () => ({ exp: undefined }), GRANT],
    ['with an expiry that is text', (at) => ({ exp: String(at + 300) }), GRANT],
    ['that never expires', () => ({ exp: 99_999_999_999 }), GRANT],
    ['that is valid for an hour', (at) => ({ exp: at + 3600 }), GRANT],
    ['without the time of its issue', () => ({ iat: undefined }), GRANT],
    ['of the future', (at) => ({ iat: at + 300, exp: at + 600 }), GRANT],
    ['that is not valid yet', (at) => ({ nbf: at + 120 }), GRANT],
    ['without an id', () => ({ jti: undefined }), GRANT],
    ['with an empty id', () => ({ jti: '' }), GRANT],
    ['with an endless id', () => ({ jti: 'x'.repeat(300) }), GRANT],
    ['with a number as id', () => ({ jti: 7 }), GRANT],
    ['for another resource', () => ({ resource: 'https://other.example.test/mcp/platform' }), TARGET],
    ['for a part of the endpoint', () => ({ resource: `${PLATFORM}/x` }), TARGET],
    ['for several resources', () => ({ resource: [PLATFORM, `${ISSUER}/mcp/notifications`] }), TARGET],
    ['without a resource', () => ({ resource: undefined }), TARGET],
    ['for scopes that nobody has', () => ({ scope: 'everything' }), '400 invalid_scope'],
    ['for scopes that the owner did not allow', () => ({ scope: 'functions:call' }), '400 invalid_scope'],
    ['that allows no scope', () => ({ scope: '' }), '400 invalid_scope'],
    ['that allows only spaces as scopes', () => ({ scope: '  ' }), '400 invalid_scope'],
    ['with a list of scopes', () => ({ scope: ['datasources:read'] }), GRANT],
  ])('%s is refused', async (_, over, expected) => {
    expect(outcome(await company.exchange('ada', over(now())))).toBe(expected)
  })

  it.each<[string, Record<string, unknown>]>([
    ['is an ID token', { typ: 'JWT' }],
    ['has no type', { typ: undefined }],
    ['is an access token', { typ: 'at+jwt' }],
    ['names a key that is not there', { kid: 'k99' }],
  ])('that %s is refused', async (_, header) => {
    const assertion = await c.signIn.idp.assertion(company.claims('ada'), header)
    expect(outcome(await company.present(assertion))).toBe(GRANT)
  })

  it.each<[string, () => Promise<string>]>([
    ['with the key of somebody else', async () => sign((await generateKeyPair('RS256')).privateKey, 'RS256')],
    ['with a key that the header carries', signWithOwnKey],
    ['with the public key as a shared secret', () => sign(new TextEncoder().encode(GENERIC_ISSUER.repeat(2)), 'HS256')],
    ['with the secret of the client', () => sign(new TextEncoder().encode(company.client_secret), 'HS256')],
    ['by nobody', async () => new UnsecuredJWT(company.claims('ada')).encode()],
    ['and then changed', changeSubject],
    ['with a signature of other bytes', async () => `${await good()}AA`],
    ['in three parts of nonsense', async () => 'a.b.c'],
    ['not at all, and is no JWT', async () => 'svc'],
  ])('signed %s is refused', async (_, make) => {
    expect(outcome(await company.present(await make()))).toBe(GRANT)
  })

  it.each<[string, Record<string, string | undefined>, string]>([
    ['no assertion', { assertion: undefined }, REQUEST],
    ['a wrong secret', { client_secret: 'svck_wrong' }, CLIENT],
    ['no secret', { client_secret: undefined }, CLIENT],
    ['an empty secret', { client_secret: '' }, CLIENT],
    ['an unknown client', { client_id: 'oac_unknown' }, CLIENT],
    ['an endless client', { client_id: 'x'.repeat(5000) }, CLIENT],
    ['no client', { client_id: undefined }, CLIENT],
    ['another resource', { resource: `${ISSUER}/mcp/notifications` }, TARGET],
  ])('presented with %s is refused', async (_, form, expected) => {
    expect(outcome(await company.present(await good(), { form }))).toBe(expected)
  })

  it('presented with the secret twice is refused', async () => {
    const authorization = basic(`${company.client_id}:${company.client_secret}`)
    expect(outcome(await company.present(await good(), { authorization }))).toBe(REQUEST)
  })

  it.each<[string, () => string]>([
    ['as a bearer token', () => `Bearer ${company.client_secret}`],
    ['without a colon', () => basic(company.client_id)],
    ['with a colon too many', () => basic(`${company.client_id}:${company.client_secret}:`)],
    ['of another company', () => basic(`${other.client_id}:${company.client_secret}`)],
    ['that is empty', () => 'Basic '],
  ])('presented with a header %s is refused', async (_, authorization) => {
    const form = { client_id: undefined, client_secret: undefined }
    const answer = await company.present(await good(), { form, authorization: authorization() })
    expect(outcome(answer)).toBe(CLIENT)
    expect(answer.headers.get('www-authenticate')).toBe('Basic realm="svc"')
  })

  it('presented with a header of one client and the id of another is refused', async () => {
    const form = { client_id: other.client_id, client_secret: undefined }
    const authorization = basic(`${company.client_id}:${company.client_secret}`)
    expect(outcome(await company.present(await good(), { form, authorization }))).toBe(REQUEST)
  })

  it.each(['grant_type', 'assertion', 'scope', 'resource', 'client_id', 'client_secret'])(
    'presented with %s twice is refused',
    async (name) => {
      const { client_id, client_secret } = company
      const values = { grant_type: JWT_BEARER, assertion: await good(), scope: '', resource: PLATFORM }
      const body = new URLSearchParams({ ...values, client_id, client_secret })
      body.append(name, body.get(name) ?? '')
      const response = await fetch(`${c.system.url}/oauth/token`, { method: 'POST', body })
      expect(await response.json()).toMatchObject({ error: 'invalid_request' })
    },
  )

  it('presented by the client of another company is refused', async () => {
    expect(outcome(await other.present(await good()))).toBe(GRANT)
  })

  it('that was used before is refused, also among many at once', async () => {
    const assertion = await good()
    const answers = await Promise.all(Array.from({ length: 10 }, () => company.present(assertion)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(outcome(await company.present(assertion))).toBe(GRANT)
  })

  it('of a person who was removed is refused', async () => {
    const carl = await company.member('carl')
    const { org_id } = company.owner
    await c.system.client(company.owner.token).call(removeMember, { org_id, user_id: carl.user_id })
    expect(outcome(await company.exchange('carl'))).toBe(GRANT)
  })

  it('by a blocked client is refused', async () => {
    const { client_id } = company
    const setActive = (isActive: boolean) =>
      c.system.db.query(sql`update platform_oauth_clients set is_active = ${isActive} where client_id = ${client_id}`)
    await setActive(false)
    expect(outcome(await company.exchange('ada'))).toBe(CLIENT)
    await setActive(true)
    expect((await company.exchange('ada')).status).toBe(200)
  })

  it('gives the client of a company no page of consent', async () => {
    const browser = c.signIn.browser()
    const asked = { client_id: company.client_id, response_type: 'code', redirect_uri: 'http://127.0.0.1:1/' }
    expect((await c.authorize(browser, asked)).status).toBe(400)
  })

  it('is good for nothing where the organization trusts nobody', async () => {
    const owner = await c.person('owner')
    const client = c.system.client(owner.token)
    const stranger = await client.call(createCompanyClient, { org_id: owner.org_id, name: 'Agent' })
    const assertion = await c.signIn.idp.assertion(company.claims('ada', { client_id: stranger.client_id }))
    const form = { client_id: stranger.client_id, client_secret: stranger.client_secret }
    expect(outcome(await company.present(assertion, { form }))).toBe(GRANT)
    // The person is no member there, so trust alone does not help.
    await client.call(setCompanySignOn, {
      org_id: owner.org_id,
      issuer: GENERIC_ISSUER,
      scopes: ['datasources:read'],
    })
    expect(outcome(await company.present(assertion, { form }))).toBe(GRANT)
  })

  it('of a provider that the installation no longer has is refused', async () => {
    const { org_id } = company.owner
    const trust = (issuer: string) =>
      c.system.db.query(sql`update auth.company_sign_on set issuer = ${issuer} where org_id = ${org_id}`)
    await trust('https://id.former.test')
    expect(outcome(await company.exchange('ada', { iss: 'https://id.former.test' }))).toBe(GRANT)
    await trust(GENERIC_ISSUER)
    expect((await company.exchange('ada')).status).toBe(200)
  })

  const good = () => c.signIn.idp.assertion(company.claims('ada'))

  function sign(key: CryptoKey | Uint8Array, alg: string, header: object = {}): Promise<string> {
    return new SignJWT(company.claims('ada'))
      .setProtectedHeader({ alg, kid: 'k1', typ: 'oauth-id-jag+jwt', ...header })
      .sign(key)
  }

  async function signWithOwnKey(): Promise<string> {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    const jwk = await crypto.subtle.exportKey('jwk', publicKey)
    return sign(privateKey, 'ES256', { jwk, kid: undefined })
  }

  async function changeSubject(): Promise<string> {
    const [head, , signature] = (await good()).split('.')
    const body = Buffer.from(JSON.stringify(company.claims('bob'))).toString('base64url')
    return `${head}.${body}.${signature}`
  }
})

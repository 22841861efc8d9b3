import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminCreateOrg, adminCreateToken } from '#contract/auth/auth.ts'
import { signInMethods } from '#contract/auth/sign-in.ts'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { GENERIC_ISSUER } from '#test/outside/fake-idp.ts'
import {
  APP,
  genericUser,
  googleUser,
  identitiesOf,
  SESSION,
  type SignIn,
  startSignIn,
  titleOf,
} from '#test/sign-in.ts'
import { lacksEmail, verifiedEmailClaim } from './generic.ts'

const NOT_CONFIRMED = 'We could not confirm your identity'
const NOT_VERIFIED = 'Your email address is not verified'

describe('AU-05 a sign-in with another OpenID Connect provider', () => {
  let at: SignIn
  const clock = testClock(new Date())
  beforeAll(async () => {
    at = await startSignIn({ clock })
  })
  afterAll(() => at?.[Symbol.asyncDispose]())

  async function refused(response: Response, status: number, title: string) {
    expect([response.status, await titleOf(response)]).toEqual([status, title])
    expect(response.headers.getSetCookie().join()).not.toContain(SESSION)
  }
  const createPerson = async (email: string) => {
    const { id } = await at.system.operator.call(adminCreateOrg, { name: 'Org' })
    return at.system.operator.call(adminCreateToken, { org_id: id, email, role: 'admin', name: 't' })
  }
  /** Lets an hour pass, after which the metadata of providers is fetched again. */
  const describeAnew = (metadata: Record<string, unknown>) => {
    at.idp.describe(metadata)
    clock.advance(3_600_001)
  }

  it('sends state, nonce and PKCE to the endpoint that its metadata names', async () => {
    const { origin, pathname, searchParams } = new URL(await at.leave(at.browser(), 'oidc'))
    expect(`${origin}${pathname}`).toBe(`${GENERIC_ISSUER}/protocol/authorize`)
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: at.idp.credentials.clientId,
      response_type: 'code',
      scope: 'openid email profile',
      redirect_uri: `${APP}/auth/oidc/callback`,
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
  })

  it('asks for the choice of an account where the provider says that it has one', async () => {
    describeAnew({ prompt_values_supported: ['none', 'select_account'] })
    const { searchParams } = new URL(await at.leave(at.browser(), 'oidc'))
    expect(searchParams.get('prompt')).toBe('select_account')
    describeAnew({})
  })

  it('is offered beside the others under its label', async () => {
    expect((await at.system.client('').call(signInMethods, {})).providers).toEqual([
      { name: 'google', label: 'Google' },
      { name: 'microsoft', label: 'Microsoft' },
      { name: 'oidc', label: 'Company SSO' },
    ])
    const page = await (await at.browser().go(`${APP}/auth/login`)).text()
    expect(page).toContain('<a class="button" href="/auth/oidc/start">Sign in with Company SSO</a>')
  })

  it('binds issuer and subject to the user of the verified email, who keeps their role', async () => {
    const claims = genericUser()
    const { user_id, org_id } = await createPerson(claims.email)
    const browser = at.browser()
    expect((await at.signInGeneric(browser, claims)).status).toBe(303)
    expect(await at.principal(browser)).toMatchObject({ kind: 'user', user_id, org_id, role: 'admin' })
    expect(await identitiesOf(at.system, user_id)).toEqual([{ issuer: GENERIC_ISSUER, subject: claims.sub }])
    const again = at.browser()
    await at.signInGeneric(again, { ...claims, email: 'renamed@elsewhere.test', email_verified: false })
    expect(await at.principal(again)).toMatchObject({ user_id })
  })

  it('never binds by email alone: the same address at the other kind of provider is refused, until it is linked', async () => {
    const claims = googleUser()
    const { user_id } = await createPerson(claims.email)
    const browser = at.browser()
    await at.signIn(browser, 'google', claims)
    const theirs = genericUser({ email: claims.email })
    await refused(await at.signInGeneric(at.browser(), theirs), 403, 'Use your other identity provider')
    expect(await identitiesOf(at.system, user_id)).toHaveLength(1)
    const start = await browser.go(`${APP}/auth/oidc/start?link=1`, { site: 'same-origin' })
    const page = start.headers.get('location')!
    expect(new URL(page).searchParams.get('prompt')).toBe('login')
    const back = at.idp.authorize(page, theirs)
    expect((await browser.go(back, { site: 'cross-site' })).status).toBe(303)
    expect(await identitiesOf(at.system, user_id)).toEqual([
      { issuer: 'https://accounts.google.com', subject: claims.sub },
      { issuer: GENERIC_ISSUER, subject: theirs.sub },
    ])
  })

  it('takes the email and whether it is verified from the UserInfo endpoint if the ID token lacks either', async () => {
    const { sub, ...profile } = genericUser()
    for (const claims of [{ sub }, { sub, email: 'other@people.test' }]) {
      const browser = at.browser()
      expect((await at.signInGeneric(browser, claims, { sub, ...profile })).status).toBe(303)
      const me = await browser.go(`${APP}/api/v1/me`)
      expect(await me.json()).toMatchObject({ user: { email: profile.email, name: 'Pat' } })
    }
  })

  it('refuses a UserInfo answer about another person', async () => {
    const victim = genericUser()
    await refused(await at.signInGeneric(at.browser(), { sub: 'o-thief' }, victim), 400, NOT_CONFIRMED)
  })

  it.each([
    ['another nonce', { nonce: 'y'.repeat(43) }],
    ['no nonce', { nonce: undefined }],
    ['another audience', { aud: 'somebody-else' }],
    ['two audiences and no authorized party', { aud: ['client-1', 'somebody-else'] }],
    ['another issuer', { iss: 'https://evil.test' }],
    ['the issuer with a slash at its end', { iss: `${GENERIC_ISSUER}/` }],
    ['another realm of the same provider', { iss: 'https://id.company.test/realms/guests' }],
    ['a token that has run out', { iat: 1_600_000_000, exp: 1_600_000_300 }],
    ['no subject', { sub: undefined }],
  ])('refuses an ID token with %s', async (_, lie) => {
    await refused(await at.signInGeneric(at.browser(), genericUser(lie)), 400, NOT_CONFIRMED)
  })

  it.each(['none', 'secret'] as const)('refuses an ID token that is signed with: %s', async (how) => {
    describeAnew({ id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'] })
    at.idp.signWith(how)
    const response = await at.signInGeneric(at.browser(), genericUser())
    at.idp.signWith('key')
    describeAnew({})
    await refused(response, 400, NOT_CONFIRMED)
  })

  it('refuses an ID token that is signed with a key that is not published', async () => {
    at.idp.useForeignKey(true)
    const response = await at.signInGeneric(at.browser(), genericUser())
    at.idp.useForeignKey(false)
    await refused(response, 400, NOT_CONFIRMED)
  })

  it('refuses the token of an earlier sign-in, whose nonce was used', async () => {
    const first = new URL(await at.leave(at.browser(), 'oidc'))
    const replayed = genericUser({ nonce: first.searchParams.get('nonce') })
    await refused(await at.signInGeneric(at.browser(), replayed), 400, NOT_CONFIRMED)
  })

  it('refuses the code of another provider, and an answer through the callback of another', async () => {
    const browser = at.browser()
    const google = new URL(at.idp.authorize(await at.leave(browser, 'google'), googleUser()))
    const back = new URL(at.idp.authorize(await at.leave(browser, 'oidc'), genericUser()))
    const mixed = back.href.replace('/auth/oidc/', '/auth/google/')
    await refused(await browser.go(mixed, { site: 'cross-site' }), 400, 'Sign-in could not be completed')
    const own = new URL(at.idp.authorize(await at.leave(browser, 'oidc'), genericUser()))
    own.searchParams.set('code', google.searchParams.get('code')!)
    await refused(await browser.go(own.href, { site: 'cross-site' }), 400, NOT_CONFIRMED)
  })

  it('refuses an answer that names another issuer (RFC 9207), or none where the provider always names it', async () => {
    describeAnew({ authorization_response_iss_parameter_supported: true })
    const answer = async () => at.idp.authorize(await at.leave(browser, 'oidc'), genericUser())
    const browser = at.browser()
    await refused(await browser.go(await answer(), { site: 'cross-site' }), 400, NOT_CONFIRMED)
    const evil = `${await answer()}&iss=https%3A%2F%2Fevil.test`
    await refused(await browser.go(evil, { site: 'cross-site' }), 400, NOT_CONFIRMED)
    const right = `${await answer()}&iss=${encodeURIComponent(GENERIC_ISSUER)}`
    expect((await browser.go(right, { site: 'cross-site' })).status).toBe(303)
    describeAnew({})
  })

  it.each([
    ['false', { email_verified: false }, undefined],
    ['"true" as text', { email_verified: 'true' }, undefined],
    ['1', { email_verified: 1 }, undefined],
    ['nothing, also at the UserInfo endpoint', { email_verified: undefined }, {}],
    ['true about an address that is none', { email: 'nobody' }, undefined],
    ['true in the ID token and the address elsewhere', { email: undefined }, { email: 'boss@people.test' }],
    ['false in the ID token, whatever UserInfo says', { email_verified: false }, { email_verified: true }],
  ])('an address that is not verified binds nobody: email_verified is %s', async (_, over, userInfo) => {
    const claims = genericUser(over)
    await createPerson(
      typeof claims.email === 'string' && claims.email.includes('@') ? claims.email : 'boss@people.test',
    )
    const info = userInfo && { sub: claims.sub, email: claims.email, ...userInfo }
    await refused(await at.signInGeneric(at.browser(), claims, info), 403, NOT_VERIFIED)
    expect(await at.system.db.query(sql`select from auth.identities where subject = ${claims.sub}`)).toEqual([])
  })

  it('accepts a new key of the provider from the second sign-in on, without a restart', async () => {
    expect((await at.signInGeneric(at.browser(), genericUser())).status).toBe(303)
    await at.idp.rotateKey()
    await refused(await at.signInGeneric(at.browser(), genericUser()), 400, NOT_CONFIRMED)
    expect((await at.signInGeneric(at.browser(), genericUser())).status).toBe(303)
  })

  it('refuses to send anybody to a provider whose metadata names another issuer', async () => {
    describeAnew({ issuer: 'https://evil.test' })
    await refused(await at.browser().go(`${APP}/auth/oidc/start`), 400, NOT_CONFIRMED)
    describeAnew({})
  })

  it('answers 503 with what to do if the provider does not answer, and the next try works', async () => {
    clock.advance(3_600_001)
    at.idp.unplug(true)
    const response = await at.browser().go(`${APP}/auth/oidc/start`)
    at.idp.unplug(false)
    expect(response.status).toBe(503)
    const page = await response.text()
    expect(page).toContain('<h1>The identity provider does not answer</h1>')
    expect(page).toContain('Wait a moment and try again. If it still fails, tell the operator of this service.')
    expect((await at.signInGeneric(at.browser(), genericUser())).status).toBe(303)
  })

  it('logs neither secrets nor tokens', async () => {
    const logs = at.system.logs.join('')
    expect(logs).not.toContain(at.idp.credentials.clientSecret)
    expect(logs).not.toMatch(/eyJ[\w-]{10}/)
  })
})

it('AU-05 the issuer must be written as the provider writes it, and the log says how that is', async () => {
  const written = GENERIC_ISSUER.replace('company', 'Company')
  await using at = await startSignIn({ env: { SVC_OIDC_ISSUER: written } })
  const response = await at.signInGeneric(at.browser(), genericUser())
  expect([response.status, await titleOf(response)]).toEqual([400, NOT_CONFIRMED])
  expect(at.system.logs.join('')).toContain(`iss is ${GENERIC_ISSUER}, and SVC_OIDC_ISSUER is ${written}`)
})

describe('AU-05 a claim that the operator names as the verified email', () => {
  it('binds by that claim and by no other', async () => {
    await using at = await startSignIn({ env: { SVC_OIDC_EMAIL_CLAIM: 'verified_primary_email' } })
    const email = 'pat@company.test'
    const outcomes = async (claims: Record<string, unknown>) =>
      (await at.signInGeneric(at.browser(), { ...genericUser({ email_verified: true }), ...claims })).status
    expect(await outcomes({})).toBe(403)
    expect(await outcomes({ verified_primary_email: [] })).toBe(403)
    expect(await outcomes({ verified_primary_email: [email, 'boss@company.test'] })).toBe(403)
    expect(await outcomes({ verified_primary_email: [email], email: undefined, email_verified: false })).toBe(303)
    const users = await at.system.db.query<{ email: string }>(
      sql`select email from auth.users where email like '%company.test'`,
    )
    expect(users).toEqual([{ email }])
  })

  it('without another claim, nothing but the boolean true vouches for an address', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (email, flag) => {
        const vouched = verifiedEmailClaim({ email, email_verified: flag }, 'email')
        return flag === true ? Object.is(vouched, email) : vouched === undefined
      }),
    )
  })

  it('is looked for at the UserInfo endpoint only if the ID token lacks it', () => {
    expect(lacksEmail({ email: 'a@b.test', email_verified: false }, 'email')).toBe(false)
    expect(lacksEmail({ email: 'a@b.test' }, 'email')).toBe(true)
    expect(lacksEmail({ email_verified: true }, 'email')).toBe(true)
    expect(lacksEmail({ upn_verified: 'a@b.test' }, 'upn_verified')).toBe(false)
  })
})

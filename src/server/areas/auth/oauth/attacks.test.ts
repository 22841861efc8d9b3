import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { validateToken } from '#contract/auth/auth.ts'
import { listAudit } from '#contract/auth/members.ts'
import { createClient } from '#contract/core/client.ts'
import { createAssertionSigner } from '#edge/credentials/actor-assertion.ts'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import {
  asking,
  type Connector,
  ISSUER,
  type Person,
  pkce,
  randomAddress,
  refreshTargetOf,
  startConnector,
} from '#test/agents/connector.ts'
import { Browser } from '#test/browser/browser.ts'
import { APP, googleUser } from '#test/sign-in.ts'

const DAY = 24 * 3_600_000

describe('attacks on an authorization', () => {
  const clock = testClock(new Date())
  let c: Connector
  beforeAll(async () => {
    c = await startConnector({ clock })
  })
  afterAll(() => c[Symbol.asyncDispose]())

  const approval = async ({ browser, org_id }: Person, page: string) => {
    const csrf = /name="csrf" value="([^"]+)"/.exec(await (await browser.go(page)).text())?.[1] ?? ''
    return browser.go(page, { form: { csrf, org_id, decision: 'approve', scope: 'datasources:read' } })
  }

  it('AU-10 an authorization can only be completed by the person who started it', async () => {
    const mallory = c.signIn.browser()
    const victim = await c.person()
    const begun = await c.authorize(mallory, asking(await c.client(), pkce().challenge))
    const page = begun.headers.get('location')!
    const uid = page.split('/').at(-1)!
    // A neighbouring host, or another port of the same machine, can set such a cookie.
    victim.browser.setCookie(ISSUER, 'svc_consent', uid)
    const leaving = refreshTargetOf(await (await approval(victim, page)).text())
    const resumed = await mallory.go(`${ISSUER}/oauth/authorize/${uid}`)
    expect([resumed.status, resumed.headers.get('location')]).toEqual([400, null])
    const guessed = await mallory.go(`${ISSUER}/oauth/authorize/${uid}?ticket=svcc_guess`)
    expect([guessed.status, guessed.headers.get('location')]).toEqual([400, null])
    const victims = await victim.browser.go(leaving)
    expect([victims.status, victims.headers.get('location')]).toEqual([400, null])
  })

  it('AU-10 an authorization cannot be completed before the user has decided', async () => {
    const mallory = await c.person()
    const page = await c.ask(mallory, asking(await c.client(), pkce().challenge))
    const resumed = await mallory.browser.go(page.replace('/consent/', '/authorize/'))
    expect([resumed.status, resumed.headers.get('location')]).toEqual([400, null])
  })

  it('AU-10 authorization requests are bounded in size and deleted when they expire', async () => {
    const { browser } = await c.person()
    const client = await c.client()
    const long = await c.authorize(browser, asking(client, pkce().challenge, { state: 's'.repeat(5000) }))
    expect(long.status).toBe(400)
    await c.authorize(browser, asking(client, pkce().challenge))
    clock.advance(11 * 60_000)
    await c.authorize(browser, asking(client, pkce().challenge))
    const [row] = await c.system.db.query(
      sql`select count(*)::int as n from auth.oauth_artifacts where kind = 'Interaction'`,
    )
    expect(row).toEqual({ n: 1 })
  })

  it.each(['client_id', 'state', 'redirect_uri', 'resource', 'scope'])('AU-10 a NUL in %s is refused', async (name) => {
    const { browser } = await c.person()
    const sent = asking(await c.client(), pkce().challenge, { scope: 'datasources:read' })
    expect((await c.authorize(browser, { ...sent, [name]: `${String(sent[name])}\0` })).status).toBe(400)
  })

  it.each(['client_id', 'refresh_token', 'grant_type'])(
    'AU-10 a NUL in %s of a token request is refused',
    async (name) => {
      const form = { grant_type: 'refresh_token', refresh_token: 'x', client_id: 'y', [name]: 'a\0b' }
      const { status, body, headers } = await c.token(form)
      expect([status, body.error, headers.get('cache-control')]).toEqual([400, 'invalid_request', 'no-store'])
    },
  )

  it('AU-12 a redirect URI that is not allowed is refused also where the operator inserted it', async () => {
    const { browser } = await c.person()
    const redirect_uri = 'http://evil.example/cb'
    await c.system.db.query(
      sql`insert into platform_oauth_clients (client_id, redirect_uris) values ('careless', ${[redirect_uri]})`,
    )
    const response = await c.authorize(browser, asking('careless', pkce().challenge, { redirect_uri }))
    expect([response.status, response.headers.get('location')]).toEqual([400, null])
  })

  it('AU-11 one address cannot use up all registrations', async () => {
    await c.system.db.query(sql`delete from platform_oauth_clients`)
    const now = clock.now()
    await c.system.db.query(sql`
      insert into platform_oauth_clients (client_id, redirect_uris, registered_from, origin, created_at, expires_at)
      select 'greedy-' || n, '{https://a.example/}', '203.0.113.7', 'https://a' || n || '.example', ${now}::timestamptz,
             ${new Date(now.getTime() + DAY)}::timestamptz
      from generate_series(1, 100) n`)
    expect((await c.register({}, randomAddress())).status).toBe(201)
    expect(
      await c.system.db.query(sql`select from platform_oauth_clients where client_id like 'greedy-%'`),
    ).toHaveLength(99)
  })

  it('AU-11 a second registration does not evict one whose consent page a user is looking at', async () => {
    const person = await c.person()
    const address = randomAddress()
    const first = await c.register({}, address)
    clock.advance(61_000)
    const page = await c.ask(person, asking(first.body.client_id!, pkce().challenge))
    expect((await c.register({}, address)).status).toBe(201)
    expect((await c.decide(person, page)).searchParams.get('code')).not.toBeNull()
  })

  it('AU-14 a refresh token can be revoked right after it was used', async () => {
    const person = await c.person()
    const client = await c.client()
    const { refresh_token } = await c.connect(person, client)
    await c.refresh(client, refresh_token)
    const body = new URLSearchParams({ token: refresh_token, client_id: client })
    expect((await fetch(`${c.system.url}/oauth/revoke`, { method: 'POST', body })).status).toBe(200)
  })

  it('AU-14 the audit trail says that a grant ended because a token was used twice', async () => {
    const person = await c.person()
    const client = await c.client()
    const { refresh_token } = await c.connect(person, client)
    await c.refresh(client, refresh_token)
    clock.advance(36_000)
    await c.refresh(client, refresh_token)
    const { items } = await c.system.client(person.token).call(listAudit, { org_id: person.org_id })
    expect(items[0]).toMatchObject({ action: 'agent.revoked', detail: { reason: 'a token was used twice' } })
  })

  describe('an agent', () => {
    const validate = (token: string, address: string) => {
      const headers = () => ({ 'x-forwarded-for': address })
      const client = createClient({ baseUrl: c.system.url, fetch, headers })
      return client.call(validateToken, { token, audience: 'api-gateway' as const })
    }
    const connected = async () => {
      const person = await c.person()
      const clientId = await c.client()
      const { access_token } = await c.connect(person, clientId)
      const { gid } = decodeJwt<{ gid: string }>(access_token)
      return { grantId: gid, userId: person.user_id, clientId, scopes: ['datasources:read'] }
    }
    const sign = createAssertionSigner

    it('AU-13 that is refused again and again limits nobody else behind the same address', async () => {
      const signer = sign(c.system.config.secrets.actorAssertionSecret!, clock)
      const [gone, other] = [await connected(), await connected()]
      await c.system.db.query(sql`delete from platform_access_grants where id = ${gone.grantId}`)
      const address = randomAddress()
      for (let n = 0; n < 65; n += 1) {
        await expect(validate(signer(gone, 'api-gateway'), address)).rejects.toMatchObject({
          code: 'INVALID_TOKEN',
        })
      }
      const { principal } = await validate(signer(other, 'api-gateway'), address)
      expect(principal.id).toBe(other.grantId)
    })

    it('AU-13 is accepted from a machine whose clock is a little ahead or behind', async () => {
      const claims = await connected()
      for (const ms of [-4000, -20, 20, 4000]) {
        const skewed = { now: () => new Date(clock.now().getTime() + ms) }
        const token = sign(c.system.config.secrets.actorAssertionSecret!, skewed)(claims, 'api-gateway')
        expect((await validate(token, randomAddress())).principal.kind).toBe('agent')
      }
    })

    it.each([
      [
        'its registration is deleted',
        async (id: string) => {
          await c.system.db.query(sql`delete from platform_oauth_clients where client_id = ${id}`)
        },
      ],
      [
        'its registration ends',
        async (id: string) => {
          await c.system.db.query(
            sql`update platform_oauth_clients set expires_at = ${clock.now()} where client_id = ${id}`,
          )
        },
      ],
    ])('AU-14 an agent is refused after %s', async (_, end) => {
      const signer = sign(c.system.config.secrets.actorAssertionSecret!, clock)
      const claims = await connected()
      await end(claims.clientId)
      await expect(validate(signer(claims, 'api-gateway'), randomAddress())).rejects.toMatchObject({
        code: 'INVALID_TOKEN',
      })
    })
  })
})

describe('an issuer at another address than the sign-in pages', () => {
  const AUTH = 'https://auth.example.test'
  let c: Connector
  beforeAll(async () => {
    c = await startConnector({ env: { SVC_AUTH_PUBLIC_URL: AUTH } })
  })
  afterAll(() => c?.[Symbol.asyncDispose]())

  it('AU-10 lets users approve where they are signed in, and the agent gets its code from the issuer', async () => {
    const member = await c.system.member()
    const browser = new Browser({ [APP]: c.system.url, [AUTH]: c.system.url })
    const clientId = await c.client()
    const { verifier, challenge } = pkce()
    const query = new URLSearchParams(asking(clientId, challenge) as Record<string, string>)
    const begun = await browser.go(`${AUTH}/oauth/authorize?${query}`, { site: 'none' })
    const page = begun.headers.get('location')!
    expect(page.startsWith(`${APP}/oauth/consent/`)).toBe(true)

    const login = await browser.go(page, { site: 'cross-site' })
    expect(login.headers.get('location')).toMatch(/^\/auth\/login\?return_to=/)
    await c.signIn.signIn(browser, 'google', googleUser({ email: member.email }))
    const person = { ...member, browser }
    const back = await c.decide(person, page)
    expect(back.searchParams.get('iss')).toBe(AUTH)
    const { status, body } = await c.redeem({ code: back.searchParams.get('code')!, verifier, client_id: clientId })
    expect(status).toBe(200)
    expect(decodeJwt(body.access_token!)).toMatchObject({ iss: AUTH, aud: `${APP}/mcp/platform`, sub: member.user_id })
    c.system.secrets.push(body.access_token!, body.refresh_token!)
  })

  it('AU-10 does not let another person finish an authorization either', async () => {
    const mallory = new Browser({ [APP]: c.system.url, [AUTH]: c.system.url })
    const query = new URLSearchParams(asking(await c.client(), pkce().challenge) as Record<string, string>)
    const begun = await mallory.go(`${AUTH}/oauth/authorize?${query}`)
    const page = begun.headers.get('location')!
    const victim = await c.person()
    const shown = await (await victim.browser.go(page)).text()
    const csrf = /name="csrf" value="([^"]+)"/.exec(shown)![1]!
    const form = { csrf, org_id: victim.org_id, decision: 'approve', scope: 'datasources:read' }
    expect((await victim.browser.go(page, { form })).status).toBe(200)
    const resumed = await mallory.go(`${AUTH}/oauth/authorize/${page.split('/').at(-1)}`)
    expect([resumed.status, resumed.headers.get('location')]).toEqual([400, null])
  })
})

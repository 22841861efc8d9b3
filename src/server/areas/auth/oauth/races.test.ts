import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { disconnectAgent } from '#contract/auth/agents.ts'
import { script, sql } from '#lib/db/sql.ts'
import {
  asking,
  type Connector,
  type Person,
  PLATFORM,
  pkce,
  refreshTargetOf,
  startConnector,
  startReplica,
} from '#test/agents/connector.ts'
import { APP, SESSION } from '#test/sign-in.ts'
import { needs } from '#test/stores.ts'
import { until } from '#test/until.ts'
import { authKeys } from '../model/deps.ts'

const grantOf = ({ access_token }: { access_token: string }) => decodeJwt<{ gid: string }>(access_token).gid
/** Ends the connection that stores a refresh token, as the end of its process would. */
const KILL_AT_REFRESH_TOKEN = `
  create function auth.kill_self() returns trigger language plpgsql as
    'begin perform pg_terminate_backend(pg_backend_pid()); return new; end';
  create trigger kill before insert on auth.oauth_artifacts
    for each row when (new.kind = 'RefreshToken') execute function auth.kill_self();`
const EIGHT = [1, 2, 3, 4, 5, 6, 7, 8]

needs('postgres')('agents that do everything at once', () => {
  let c: Connector
  let person: Person
  let clientId: string
  beforeAll(async () => {
    c = await startConnector()
    person = await c.person()
    clientId = await c.client()
  })
  afterAll(() => c[Symbol.asyncDispose]())

  const grants = async () => {
    const [row] = await c.system.db.query<{ n: number }>(sql`select count(*)::int as n from platform_access_grants`)
    return row!.n
  }
  const count = async () => {
    const [row] = await c.system.db.query<{ n: number }>(sql`select count(*)::int as n from platform_oauth_clients`)
    return row!.n
  }

  /** Registers as agents do that are told to try again because many wait, which is soon on a busy machine. */
  const register: Connector['register'] = (metadata, address) =>
    until(async () => {
      const answer = await c.register(metadata, address)
      return answer.status !== 503 && answer
    })

  it('AU-10 exactly one of eight concurrent token requests redeems a code', async () => {
    for (let round = 0; round < 5; round += 1) {
      const code = await c.code(person, clientId)
      const answers = await Promise.all(EIGHT.map(() => c.redeem(code)))
      for (const { body } of answers) if (body.access_token) c.system.secrets.push(body.access_token)
      const won = answers.filter(({ status }) => status === 200).length
      expect(won).toBe(1)
      expect(answers.filter(({ body }) => body.error === 'invalid_grant')).toHaveLength(7)
    }
  })

  it('AU-10 a kill between using a code and storing its first refresh token leaves the code usable', async () => {
    // Decisions are limited by the address of the browser.
    const other = await c.person()
    for (let round = 0; round < 3; round += 1) {
      const code = await c.code(other, clientId)
      await c.system.db.query(script(KILL_AT_REFRESH_TOKEN))
      const killed = await Promise.all([c.redeem(code), c.redeem(code), c.redeem(code)])
      await c.system.db.query(script('drop function auth.kill_self() cascade'))
      expect(killed.map(({ status, body }) => `${status} ${body.error}`)).toEqual(
        Array<string>(3).fill('503 temporarily_unavailable'),
      )
      const answers = await Promise.all(EIGHT.map(() => c.redeem(code)))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      const { body } = answers.find(({ status }) => status === 200)!
      c.system.secrets.push(body.access_token!, body.refresh_token!)
    }
  })

  it('AU-20 twenty concurrent refreshes at two servers get the same successor, exactly one lives, and it works', async () => {
    await using other = await startReplica(c)
    for (let round = 0; round < 5; round += 1) {
      const tokens = await c.connect(person, clientId)
      const servers = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? c : other))
      const answers = await Promise.all(servers.map((server) => server.refresh(clientId, tokens.refresh_token)))
      expect(answers.map(({ status }) => status)).toEqual(Array<number>(20).fill(200))
      const successors = new Set(answers.map(({ body }) => body.refresh_token!))
      expect(successors.size).toBe(1)
      const [row] = await c.system.db.query<{ n: number }>(sql`
        select count(*)::int as n from auth.oauth_artifacts a
        join platform_access_grants g on g.id = a.grant_id
        where a.kind = 'RefreshToken' and a.consumed_at is null and g.id = ${grantOf(tokens)}`)
      expect(row).toEqual({ n: 1 })
      expect((await other.refresh(clientId, [...successors][0]!)).status).toBe(200)
    }
  })

  it('AU-19 of twelve computers that connect at once ten stay connected', async () => {
    const traveller = await c.person()
    const codes = []
    for (let n = 0; n < 12; n += 1) {
      const { body } = await c.register({ client_name: 'Everywhere' })
      codes.push(await c.code(traveller, body.client_id!))
    }
    const redeemed = await Promise.all(codes.map((code) => c.redeem(code)))
    expect(redeemed.map(({ status }) => status)).toEqual(Array<number>(12).fill(200))
    const [row] = await c.system.db.query<{ n: number }>(sql`
      select count(*)::int as n from platform_access_grants
      where user_id = ${traveller.user_id} and revoked_at is null`)
    expect(row).toEqual({ n: 10 })
  })

  it('AU-19 an agent is disconnected twice at once while another computer connects, and all are answered', async () => {
    for (let round = 0; round < 5; round += 1) {
      const owner = await c.person()
      const connect = async () => {
        const { body } = await c.register({ client_name: 'At once' })
        return c.connect(owner, body.client_id!)
      }
      const connected = [await connect(), await connect(), await connect()]
      // Expired tokens of a connection that is being ended.
      await c.system.db.query(sql`
        insert into auth.oauth_artifacts (kind, hash, grant_id, payload, expires_at)
        select 'RefreshToken', decode(md5(${grantOf(connected[0]!)} || n), 'hex'), ${grantOf(connected[0]!)}, '{}', now() - interval '1 day'
        from generate_series(1, 50) n`)
      const { body } = await c.register({ client_name: 'At once' })
      const code = await c.code(owner, body.client_id!)
      const client = c.system.client(owner.token)
      const end = (tokens: { access_token: string }) =>
        client.call(disconnectAgent, { id: grantOf(tokens) }).then(
          () => 200,
          (error: { status: number }) => error.status,
        )
      const [redeemed, ...ended] = await Promise.all([c.redeem(code), ...connected.map(end)])
      expect([200, 400]).toContain(redeemed.status)
      for (const status of ended) expect([200, 404]).toContain(status)
      const [row] = await c.system.db.query<{ n: number }>(sql`
        select count(*)::int as n from platform_access_grants
        where id = any(${connected.map(grantOf)}) and revoked_at is null`)
      expect(row).toEqual({ n: 0 })
    }
  })

  it('AU-10 a consent form submitted four times at once is one decision and one code', async () => {
    for (let round = 0; round < 5; round += 1) {
      const page = await c.ask(person, asking(clientId, pkce().challenge))
      const csrf = /name="csrf" value="([^"]+)"/.exec(await (await person.browser.go(page)).text())![1]!
      const form = { csrf, org_id: person.org_id, decision: 'approve', scope: 'datasources:read' }
      const before = await grants()
      const sent = await Promise.all([1, 2, 3, 4].map(() => person.browser.go(page, { form })))
      expect(sent.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400, 400])
      expect(await grants()).toBe(before + 1)
      const leaving = refreshTargetOf(await sent.find(({ status }) => status === 200)!.text())
      const gone = await Promise.all([1, 2, 3, 4, 5, 6].map(() => person.browser.go(leaving)))
      const codes = gone.map(({ headers }) => headers.get('location')).filter((to) => to?.includes('code='))
      expect(codes).toHaveLength(1)
    }
  })

  it('AU-11 five of twelve concurrent registrations for one origin succeed', async () => {
    await c.system.db.query(sql`delete from platform_oauth_clients`)
    const names = Array.from({ length: 12 }, (_, n) => `Agent ${n}`)
    const answers = await Promise.all(
      names.map((client_name) => register({ client_name, redirect_uris: ['https://agent.example/cb'] })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(7)
    expect(await count()).toBe(5)
  })

  it('AU-11 a hundred of a hundred and ten concurrent registrations succeed', async () => {
    await c.system.db.query(sql`delete from platform_oauth_clients`)
    const numbers = Array.from({ length: 110 }, (_, n) => n)
    const answers = await Promise.all(
      numbers.map((n) => register({ client_name: `A ${n}`, redirect_uris: [`https://a${n}.example/cb`] })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(100)
    expect(await count()).toBe(100)
  })

  it('AU-11 five of twelve concurrent registrations for the last five places of an address succeed', async () => {
    await c.system.db.query(sql`delete from platform_oauth_clients`)
    const address = '203.0.113.9'
    await c.system.db.query(sql`
      insert into platform_oauth_clients
        (client_id, client_name, redirect_uris, registered_from, origin, created_at, expires_at)
      select 'other-' || n, 'Other ' || n, '{http://127.0.0.1/cb}', ${address}, ${`address:${address}`} || ' Other ' || n,
             now(), now() + interval '1 day'
      from generate_series(1, 15) n`)
    const names = Array.from({ length: 12 }, (_, n) => `Agent ${n}`)
    const answers = await Promise.all(names.map((client_name) => register({ client_name }, address)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(7)
    expect(await count()).toBe(20)
  })

  it('AU-11 the last place goes to an approval or to a registration, never to both', async () => {
    for (let round = 0; round < 5; round += 1) {
      await c.system.db.query(sql`delete from platform_oauth_clients`)
      const { body } = await c.register({ client_name: `Old ${round}` })
      await fillWithApproved(99)
      await c.system.db.query(sql`
        update platform_oauth_clients set created_at = now() - interval '11 minutes' where client_id = ${body.client_id}`)
      const page = await c.ask(person, asking(body.client_id!, pkce().challenge))
      const csrf = /name="csrf" value="([^"]+)"/.exec(await (await person.browser.go(page)).text())![1]!
      // Removes the protection of the shown page, which ends after ten minutes.
      await c.system.db.query(sql`delete from auth.oauth_shown_pages`)
      const form = { csrf, org_id: person.org_id, decision: 'approve', scope: 'datasources:read' }
      const [decided, registered] = await Promise.all([
        person.browser.go(page, { form }),
        c.register({ client_name: 'New' }),
      ])
      expect([
        [200, 429],
        [400, 201],
      ]).toContainEqual([decided.status, registered.status])
      expect(await count()).toBe(100)
      expect(await orphans()).toBe(0)
    }
  })

  it('AU-11 a consent page that was shown can be approved, whatever registers at the same moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      await c.system.db.query(sql`delete from platform_oauth_clients`)
      const { body } = await c.register({ client_name: `Old ${round}` })
      await fillWithApproved(99)
      await c.system.db.query(sql`
        update platform_oauth_clients set created_at = now() - interval '11 minutes' where client_id = ${body.client_id}`)
      const page = await c.ask(person, asking(body.client_id!, pkce().challenge))
      const [shown, registered] = await Promise.all([person.browser.go(page), c.register({ client_name: 'New' })])
      expect([
        [200, 429],
        [400, 201],
      ]).toContainEqual([shown.status, registered.status])
      expect((await c.register({ client_name: 'Newer' })).status).toBe(429)
      const csrf = /name="csrf" value="([^"]+)"/.exec(await shown.text())?.[1] ?? ''
      const form = { csrf, org_id: person.org_id, decision: 'approve', scope: 'datasources:read' }
      expect((await person.browser.go(page, { form })).status).toBe(shown.status)
      expect([await count(), await orphans()]).toEqual([100, 0])
    }
  })

  it('AU-11 a user with eighteen agents who approves eight more at once gets two of them', async () => {
    await c.system.db.query(sql`delete from platform_oauth_clients`)
    await c.system.db.query(sql`delete from platform_access_grants`)
    for (let n = 0; n < 18; n += 1) {
      const { body } = await c.register({ client_name: `Held ${n}` })
      await c.connect(person, body.client_id!)
    }
    const windows = await Promise.all(
      EIGHT.map(async (n) => {
        const { body } = await c.register({ client_name: `Wanted ${n}` })
        const browser = c.signIn.browser()
        browser.setCookie(APP, SESSION, person.browser.cookie(APP, SESSION)!)
        const page = await c.ask({ ...person, browser }, asking(body.client_id!, pkce().challenge))
        const csrf = /name="csrf" value="([^"]+)"/.exec(await (await browser.go(page)).text())![1]!
        return { browser, page, csrf }
      }),
    )
    const decided = await Promise.all(
      windows.map(async ({ browser, page, csrf }) => {
        const form = { csrf, org_id: person.org_id, decision: 'approve', scope: 'datasources:read' }
        return (await browser.go(page, { form })).status
      }),
    )
    expect(decided.toSorted((a, b) => a - b)).toEqual([200, 200, 400, 400, 400, 400, 400, 400])
  })

  /** Registrations that people use, each with an approval of its own. */
  async function fillWithApproved(number: number): Promise<void> {
    const epoch = authKeys(c.system.config.secrets.jwtSecret!, c.system.config.secrets.jwtSigningKey!).epoch
    const holder = await c.system.member()
    await c.system.db.query(sql`delete from platform_access_grants`)
    await c.system.db.query(sql`
      insert into platform_oauth_clients
        (client_id, client_name, redirect_uris, registered_from, origin, created_at, expires_at)
      select 'used-' || n, 'Used ' || n, '{https://a.example/cb}', '203.0.113.8', 'https://a' || n || '.example', now(),
             now() + interval '1 day'
      from generate_series(1, ${number}::int) n`)
    await c.system.db.query(sql`
      insert into platform_access_grants
        (id, org_id, user_id, client_id, client_name, redirect_host, resource, scopes, epoch, created_at, expires_at)
      select 'grt_' || n, ${holder.org_id}, ${holder.user_id}, 'used-' || n, 'Used ' || n, 'a.example', ${PLATFORM},
             '{datasources:read}', ${epoch}, now(), now() + interval '1 day'
      from generate_series(1, ${number}::int) n`)
  }

  /** Approvals whose registration is gone. */
  async function orphans(): Promise<number> {
    const [row] = await c.system.db.query<{ n: number }>(sql`
      select count(*)::int as n from platform_access_grants g
      where g.revoked_at is null
        and not exists (select from platform_oauth_clients c where c.client_id = g.client_id)`)
    return row!.n
  }
})

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { disconnectAgent, listAgents } from '#contract/auth/agents.ts'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import {
  type Answer,
  asking,
  type Connector,
  type Person,
  pkce,
  randomAddress,
  startConnector,
} from '#test/agents/connector.ts'
import { APP, SESSION } from '#test/sign-in.ts'

const MINUTE = 60_000

describe('the capacity for agents that register themselves', () => {
  const clock = testClock(new Date())
  let c: Connector
  beforeAll(async () => {
    c = await startConnector({ clock })
  })
  beforeEach(() => c.system.db.query(sql`delete from platform_oauth_clients`))
  afterAll(() => c?.[Symbol.asyncDispose]())

  const count = async () => {
    const [row] = await c.system.db.query<{ n: number }>(sql`select count(*)::int as n from platform_oauth_clients`)
    return row!.n
  }
  const web = (name: string, origin = 'https://agent.example') => ({
    client_name: name,
    redirect_uris: [`${origin}/cb`],
  })
  const local = (name: string, path = '/callback') => ({
    client_name: name,
    redirect_uris: [`http://127.0.0.1:33418${path}`],
  })
  const idOf = ({ status, body }: Answer): string => {
    expect([status, body]).toMatchObject([201, { client_id: expect.any(String) }])
    return body.client_id!
  }
  const isKnown = async (id: string, redirect_uri?: string) => {
    const over = redirect_uri === undefined ? {} : { redirect_uri }
    return (await c.authorize(c.signIn.browser(), asking(id, pkce().challenge, over))).status === 303
  }
  const connectWeb = (person: Person, id: string) => c.connect(person, id, { redirect_uri: 'https://agent.example/cb' })
  const isAlive = async (clientId: string, tokens: { refresh_token: string }) => {
    const { status, body } = await c.refresh(clientId, tokens.refresh_token)
    if (status === 200) tokens.refresh_token = body.refresh_token!
    return status === 200
  }

  it('AU-11 an https origin has five registrations, and a sixth from the same address waits until a never approved one is ten minutes old', async () => {
    const address = randomAddress()
    const first = idOf(await c.register(web('1'), address))
    clock.advance(MINUTE)
    for (const name of ['2', '3', '4', '5']) idOf(await c.register(web(name), address))
    const refused = await c.register(web('6'), address)
    expect([refused.status, refused.body.error, refused.headers.get('retry-after')]).toEqual([
      429,
      'temporarily_unavailable',
      '540',
    ])
    idOf(await c.register(web('1', 'https://other.example'), address))
    clock.advance(9 * MINUTE)
    idOf(await c.register(web('6'), address))
    expect([await count(), await isKnown(first, 'https://agent.example/cb')]).toEqual([6, false])
    expect((await c.register(web('7'), address)).headers.get('retry-after')).toBe('60')
  })

  it('AU-11 five networks that hold all registrations of an https origin keep another out for at most a minute', async () => {
    const attackers = Array.from({ length: 5 }, randomAddress)
    const honest = randomAddress()
    const statuses: number[] = []
    for (let minute = 0; minute < 40; minute += 1) {
      if (minute % 10 === 0) {
        for (const [n, address] of attackers.entries()) await c.register(web(`Evil ${minute} ${n}`), address)
      }
      clock.advance(MINUTE / 2)
      statuses.push((await c.register(web('Honest'), honest)).status)
      clock.advance(MINUTE / 2)
    }
    const refused = statuses.flatMap((status, minute) => (status === 201 ? [] : [minute]))
    expect(refused).toEqual([0, 10, 20, 30])
    expect(await count()).toBeLessThanOrEqual(5)
  })

  it('AU-11 programs that register again every half minute do not keep another network out', async () => {
    const attackers = Array.from({ length: 5 }, randomAddress)
    const attack = async () => {
      for (const [n, address] of attackers.entries()) await c.register(web(`Evil ${n}`), address)
      clock.advance(MINUTE / 2)
    }
    await attack()
    await attack()
    await attack()
    const mine = idOf(await c.register(web('Honest')))
    await attack()
    expect([await count(), await isKnown(mine, 'https://agent.example/cb')]).toEqual([5, true])
  })

  it('AU-11 a newcomer of another network waits until the oldest never approved registration is a minute old', async () => {
    const first = idOf(await c.register(web('1')))
    clock.advance(MINUTE / 2)
    for (const name of ['2', '3', '4', '5']) idOf(await c.register(web(name)))
    expect((await c.register(web('6'))).headers.get('retry-after')).toBe('30')
    clock.advance(MINUTE / 2)
    idOf(await c.register(web('6')))
    expect([await count(), await isKnown(first, 'https://agent.example/cb')]).toEqual([5, false])
    expect((await c.register(web('7'))).headers.get('retry-after')).toBe('30')
  })

  it.each([
    ['IPv6 /64 blocks of one /48', (n: number) => `2001:db8:1:${n.toString(16)}::1`],
    ['addresses of one /24', (n: number) => `198.51.100.${n}`],
  ])('AU-11 a hundred %s count together and give one up to another network at once', async (_, address) => {
    const ofHundred = Array.from({ length: 100 }, (_each, n) => n + 1)
    for (const n of ofHundred) idOf(await c.register(web('Evil', `https://evil${n}.example`), address(n)))
    const mine = idOf(await c.register(web('Honest', 'https://honest.example'), '203.0.113.77'))
    clock.advance(MINUTE / 2)
    expect((await c.register(web('Evil', 'https://more.example'), address(101))).status).toBe(429)
    clock.advance(MINUTE)
    idOf(await c.register(web('Evil', 'https://most.example'), address(102)))
    expect([await count(), await isKnown(mine, 'https://honest.example/cb')]).toEqual([100, true])
  })

  it('AU-11 one address that holds all registrations of an origin gives one up to another address and does not get it back', async () => {
    const greedy = randomAddress()
    for (const name of ['1', '2', '3', '4', '5']) idOf(await c.register(web(name), greedy))
    const mine = idOf(await c.register(web('mine')))
    for (const name of ['6', '7', '8']) expect((await c.register(web(name), greedy)).status).toBe(429)
    expect(await isKnown(mine, 'https://agent.example/cb')).toBe(true)
    expect(await count()).toBe(5)
  })

  it('AU-11 four fast addresses with distinct origins can neither keep others out nor evict them again', async () => {
    const attackers = Array.from({ length: 4 }, randomAddress)
    let registrations = 0
    const attack = async (each: number) => {
      clock.advance(MINUTE)
      const statuses: number[] = []
      for (const address of attackers) {
        for (let n = 0; n < each; n += 1) {
          registrations += 1
          statuses.push((await c.register(web('Evil', `https://evil${registrations}.example`), address)).status)
        }
      }
      return statuses
    }
    await attack(20)
    await attack(5)
    expect(await count()).toBe(100)
    const colleagues = await Promise.all([c.person(), c.person(), c.person()])
    const ids: string[] = []
    for (const _ of colleagues) ids.push(idOf(await c.register({}, randomAddress())))
    expect(await count()).toBe(100)
    // A share more than the others is not to be had, so most of these are refused.
    expect((await attack(20)).filter((status) => status === 201).length).toBeLessThanOrEqual(4)
    for (const [n, person] of colleagues.entries()) await c.connect(person, ids[n]!)
    expect(await count()).toBe(100)
  })

  it('AU-11 a program with a loopback redirect has five registrations per name and address, and an address has twenty', async () => {
    const address = randomAddress()
    const paths = ['/1', '/2', '/3', '/4', '/5']
    for (const path of paths) idOf(await c.register(local('One', path), address))
    expect((await c.register(local('One', '/6'), address)).status).toBe(429)
    idOf(await c.register(local('One', '/6'), randomAddress()))
    for (const name of ['Two', 'Three']) {
      clock.advance(MINUTE)
      for (const path of paths) idOf(await c.register(local(name, path), address))
    }
    clock.advance(MINUTE)
    for (const path of paths) idOf(await c.register(local('Four', path), address))
    const refused = await c.register(local('Five'), address)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '420'])
    idOf(await c.register(web('Five'), address))
    clock.advance(7 * MINUTE)
    idOf(await c.register(local('Five'), address))
    expect(await count()).toBe(22)
  })

  it('AU-11 a program that registers again replaces its own registration, also from another port', async () => {
    const address = randomAddress()
    for (const port of [4001, 4002, 4003, 4004, 4005, 4006, 4007]) {
      idOf(await c.register({ redirect_uris: [`http://127.0.0.1:${port}/callback`] }, address))
      // One registered within the last minute may be a colleague's who is about to approve it.
      clock.advance(MINUTE + 1000)
    }
    expect(await count()).toBe(1)
    idOf(await c.register(local('Test Agent', '/other'), address))
    idOf(await c.register(local('Another Agent'), address))
    idOf(await c.register({}, randomAddress()))
    expect(await count()).toBe(4)
  })

  it('AU-11 colleagues who connect at once do not evict each other, and a sixth is still admitted', async () => {
    const address = randomAddress()
    const five: string[] = []
    for (let n = 0; n < 5; n += 1) five.push(idOf(await c.register({}, address)))
    expect(await Promise.all(five.map((id) => isKnown(id)))).toEqual([true, true, true, true, true])
    const sixth = idOf(await c.register({}, address))
    expect(await Promise.all([...five, sixth].map((id) => isKnown(id)))).toEqual([false, true, true, true, true, true])
  })

  it('AU-11 an approved registration counts for its user, so that seven colleagues of one office connect the same agent', async () => {
    const address = randomAddress()
    const connected: { id: string; refresh_token: string }[] = []
    for (let n = 0; n < 7; n += 1) {
      const id = idOf(await c.register({}, address))
      connected.push({ ...(await c.connect(await c.person(), id)), id })
    }
    for (const one of connected) expect(await isAlive(one.id, one)).toBe(true)
    expect(await count()).toBe(7)
  })

  it('AU-14 disconnecting an agent frees its registration at once, and nothing else does while agents are in use', async () => {
    const people = await Promise.all([c.person(), c.person(), c.person(), c.person(), c.person()])
    for (const [n, person] of people.entries()) await connectWeb(person, idOf(await c.register(web(`${n}`))))
    clock.advance(60 * MINUTE)
    const refused = await c.register(web('6'))
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3600'])
    const client = c.system.client(people[2].token)
    const [agent] = (await client.call(listAgents, {})).items
    await client.call(disconnectAgent, { id: agent!.id })
    // Until somebody takes the place, the agent can be connected again without registering.
    expect(await isKnown(agent!.client_id, 'https://agent.example/cb')).toBe(true)
    idOf(await c.register(web('6')))
    expect(await isKnown(agent!.client_id, 'https://agent.example/cb')).toBe(false)
    expect((await c.register(web('7'))).status).toBe(429)
  })

  it('AU-14 an agent that revokes its token frees its registration, and so does a user who leaves', async () => {
    const address = randomAddress()
    const [leaver, other, colleague] = [await c.person(), await c.person(), await c.person()]
    const ids: string[] = []
    for (const name of ['1', '2', '3', '4', '5']) ids.push(idOf(await c.register(web(name), address)))
    for (const id of ids.slice(1, 3)) await connectWeb(colleague, id)
    for (const id of ids.slice(3)) await connectWeb(await c.person(), id)
    await connectWeb(leaver, ids[0]!)
    expect((await c.register(web('6'), address)).status).toBe(429)
    await c.system.db.query(sql`delete from auth.memberships where user_id = ${leaver.user_id}`)
    clock.advance(10 * MINUTE)
    const { refresh_token } = await connectWeb(other, idOf(await c.register(web('6'), address)))
    expect((await c.register(web('7'), address)).status).toBe(429)
    const [{ client_id }] = (await c.system.db.query<{ client_id: string }>(
      sql`select client_id from platform_oauth_clients where client_name = '6'`,
    )) as [{ client_id: string }]
    const body = new URLSearchParams({ token: refresh_token, client_id })
    expect((await fetch(`${c.system.url}/oauth/revoke`, { method: 'POST', body })).status).toBe(200)
    idOf(await c.register(web('7'), address))
  })

  it('AU-11 where all places are in use, a connection gives way that was unused for three days and has a successor', async () => {
    const [person, other] = [await c.person(), await c.person()]
    const connect = async (who: Person, name: string) => {
      const id = idOf(await c.register(local(name)))
      return { ...(await c.connect(who, id)), id }
    }
    const [lost, alone] = [await connect(person, 'Everyday'), await connect(other, 'Everyday')]
    clock.advance(MINUTE)
    const again = await connect(person, 'Everyday')
    await fillWithApproved(97, other)
    clock.advance(60 * 60 * MINUTE)
    expect((await c.register(web('Newcomer', 'https://new.example'))).status).toBe(429)
    clock.advance(14 * 60 * MINUTE)
    await c.system.db.query(sql`
      update platform_access_grants set last_used_at = ${clock.now()} where client_id = ${again.id}`)
    idOf(await c.register(web('Newcomer', 'https://new.example')))
    expect([await isAlive(again.id, again), await isAlive(alone.id, alone)]).toEqual([true, true])
    expect((await c.refresh(lost.id, lost.refresh_token)).status).toBe(401)
    expect((await c.system.client(person.token).call(listAgents, {})).items).toHaveLength(1)
  })

  const open = async (person: Person, id: string, over = {}) => {
    const page = await c.ask(person, asking(id, pkce().challenge, over))
    const text = await (await person.browser.go(page)).text()
    return { page, csrf: /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '' }
  }
  const approve = (person: Person, { page, csrf }: { page: string; csrf: string }) =>
    person.browser.go(page, { form: { csrf, org_id: person.org_id, decision: 'approve', scope: 'datasources:read' } })

  it('AU-11 a consent page shown to a signed-in user protects the registration for ten minutes against its own address', async () => {
    const address = randomAddress()
    const person = await c.person()
    const id = idOf(await c.register({}, address))
    const shown = await open(person, id)
    clock.advance(MINUTE + 1000)
    for (let n = 0; n < 7; n += 1) idOf(await c.register({}, address))
    clock.advance(MINUTE)
    for (let n = 0; n < 16; n += 1) await c.register(local(`Other ${n}`), address)
    clock.advance(7 * MINUTE)
    for (let n = 0; n < 7; n += 1) idOf(await c.register({}, address))
    expect((await approve(person, shown)).status).toBe(200)
    expect((await c.system.client(person.token).call(listAgents, {})).items).toHaveLength(1)
  })

  it('AU-11 a consent page shown to a signed-in user protects the registration against other addresses', async () => {
    const address = randomAddress()
    const person = await c.person()
    const id = idOf(await c.register({}, address))
    idOf(await c.register(local('Other'), address))
    const shown = await open(person, id)
    await fill(98)
    idOf(await c.register(web('New', 'https://new.example')))
    expect((await c.register(web('Newer', 'https://newer.example'))).status).toBe(429)
    expect([await count(), (await approve(person, shown)).status]).toEqual([100, 200])
  })

  it('AU-11 a disconnected agent whose consent page is shown again keeps its registration', async () => {
    const person = await c.person()
    const id = idOf(await c.register(web('1')))
    await connectWeb(person, id)
    const client = c.system.client(person.token)
    await client.call(disconnectAgent, { id: (await client.call(listAgents, {})).items[0]!.id })
    const shown = await open(person, id, { redirect_uri: 'https://agent.example/cb' })
    for (const name of ['2', '3', '4', '5']) idOf(await c.register(web(name)))
    expect((await c.register(web('6'))).status).toBe(429)
    expect((await approve(person, shown)).status).toBe(200)
  })

  it('AU-11 a user protects three agents at a time, and opening a fourth page gives up the first', async () => {
    const person = await c.person()
    const ids: string[] = []
    for (const n of [1, 2, 3, 4]) ids.push(idOf(await c.register(web('Mine', `https://mine${n}.example`))))
    const redirectOf = (n: number) => `https://mine${n + 1}.example/cb`
    const [first, ...others] = [person, person, person, person].map((who) => inNewWindow(who))
    const shown = await open(first!, ids[0]!, { redirect_uri: redirectOf(0) })
    for (const [n, other] of others.entries()) {
      clock.advance(1000)
      await open(other, ids[n + 1]!, { redirect_uri: redirectOf(n + 1) })
    }
    await c.system.db.query(sql`
      update platform_oauth_clients set created_at = created_at - interval '10 minutes'`)
    await fill(96)
    idOf(await c.register(web('a', 'https://a.example')))
    expect((await c.register(web('b', 'https://b.example'))).status).toBe(429)
    const decided = await approve(first!, shown)
    expect([decided.status, await decided.text()]).toEqual([400, expect.stringContaining('This request has expired')])
    expect((await c.system.client(person.token).call(listAgents, {})).items).toEqual([])
    const found = await Promise.all(ids.map((id, n) => isKnown(id, redirectOf(n))))
    expect(found).toEqual([false, true, true, true])
  })

  it('AU-11 a user has at most twenty registered agents connected, so that one user cannot hold all registrations', async () => {
    const stranger = await c.person()
    const statuses: number[] = []
    for (let n = 0; n < 22; n += 1) {
      const id = idOf(await c.register(local(`Agent ${n}`)))
      statuses.push((await approve(stranger, await open(stranger, id))).status)
    }
    expect(statuses).toEqual([...Array<number>(20).fill(200), 400, 400])
    const late = await open(stranger, idOf(await c.register(local('Agent 22'))))
    const refused = await approve(stranger, late)
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining('You have reached the limit of 20 connected agents that registered themselves.'),
    ])
    const client = c.system.client(stranger.token)
    await client.call(disconnectAgent, { id: (await client.call(listAgents, {})).items[0]!.id })
    expect((await approve(stranger, late)).status).toBe(200)
  })

  it('AU-11 a user has at most two registered agents of an https origin connected', async () => {
    const viewer = await c.person('viewer')
    const redirect_uri = 'https://agent.example/cb'
    for (const name of ['1', '2']) await connectWeb(viewer, idOf(await c.register(web(name))))
    const refused = await approve(viewer, await open(viewer, idOf(await c.register(web('3'))), { redirect_uri }))
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining('You have reached the limit of 2 connected agents that redirect to agent.example'),
    ])
    await connectWeb(viewer, idOf(await c.register(web('2'))))
    clock.advance(10 * MINUTE)
    await connectWeb(await c.person(), idOf(await c.register(web('4'))))
    await connectWeb(await c.person(), idOf(await c.register(web('5'))))
  })

  /** The same session in a browser of its own, because a browser remembers one open page. */
  function inNewWindow(person: Person): Person {
    const browser = c.signIn.browser()
    browser.setCookie(APP, SESSION, person.browser.cookie(APP, SESSION)!)
    return { ...person, browser }
  }

  /** Registrations made just now, each from an address of its own. */
  /** Fills places with agents that the person has connected, each once. */
  async function fillWithApproved(number: number, { org_id, user_id }: Person): Promise<void> {
    const expires = new Date(clock.now().getTime() + 30 * 24 * 60 * MINUTE)
    await c.system.db.query(sql`
      insert into platform_oauth_clients
        (client_id, client_name, redirect_uris, registered_from, origin, created_at, expires_at)
      select 'held-' || n, 'Held ' || n, '{https://held.example/cb}', '2001:db8:' || n || ':0::/64',
             'https://held' || n || '.example', ${clock.now()}, ${expires}
      from generate_series(1, ${number}::int) n`)
    await c.system.db.query(sql`
      insert into platform_access_grants
        (id, org_id, user_id, client_id, client_name, redirect_host, resource, scopes, epoch, created_at, expires_at)
      select 'grt_held' || n, ${org_id}, ${user_id}, 'held-' || n, 'Held ' || n, 'held.example', 'r', '{}',
             (select epoch from platform_access_grants limit 1), ${clock.now()}, ${expires}
      from generate_series(1, ${number}::int) n`)
  }

  async function fill(number: number): Promise<void> {
    await c.system.db.query(sql`
      insert into platform_oauth_clients
        (client_id, client_name, redirect_uris, registered_from, origin, created_at, expires_at)
      select 'fill-' || n, 'Fill', '{https://fill.example/cb}', '2001:db8:' || n || ':0::/64',
             'https://fill' || n || '.example', ${clock.now()}, ${new Date(clock.now().getTime() + 86_400_000)}
      from generate_series(1, ${number}::int) n`)
  }
})

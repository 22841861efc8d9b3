import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import { setAppPerson } from '#contract/apps/people.ts'
import { elevateSupport, startSupport } from '#contract/auth/support.ts'
import { exposeSource, switchSource } from '#contract/data-sources/sources.ts'
import { createDatabase } from '#contract/databases.ts'
import { search } from '#contract/search.ts'
import { fileTicket } from '#contract/tickets.ts'
import { sql } from '#lib/db/sql.ts'
import { type LiveApp, makeLiveApp } from '#test/apps/live-app.ts'
import { proposeChange } from '#test/apps/proposed-change.ts'
import { type System, startSystem } from '#test/system.ts'

type Person = Awaited<ReturnType<System['member']>>

let system: System
let owner: Person
let viewer: Person
let shop: LiveApp
let deployId: string
let proposalId: string
/** Tokens by the name of the caller. `builder` is a viewer with a part in the app shop. */
let callers: Record<string, string>

beforeAll(async () => {
  system = await startSystem()
  owner = await system.member('owner')
  const colleague = (role: 'viewer' | 'member' | 'developer' | 'admin') => system.member(role, owner.org_id)
  viewer = await colleague('viewer')
  const builder = await colleague('viewer')
  const other = await system.member('owner')
  const client = system.client(owner.token)
  shop = await makeLiveApp(system, owner, { alias: 'shop', files: { 'server.js': 'sell(1)\n' } })
  await client.call(setAppPerson, { alias: 'shop', user_id: builder.user_id, part: 'builder' })
  await client.call(createApp, { alias: 'plum-press', name: 'Plum press' })
  const summary = 'Plums are sold twice'
  ;({ proposalId } = await proposeChange(system, { app: shop, person: owner, files: { 'server.js': 's\n' }, summary }))
  ;[{ id: deployId }] = (await system.db.query<{ id: string }>(sql`
    select id from apps.deploys where app_id = ${shop.id}`)) as [{ id: string }]
  for (const [name, min_role] of [
    ['plum_public', 'viewer'],
    ['plum_secret', 'admin'],
  ] as const) {
    await client.call(createDatabase, { name })
    await client.call(switchSource, { name, enabled: true })
    await client.call(exposeSource, { id: `db_${name}`, exposed: true, min_role })
  }
  const file = (token: string, title: string) =>
    system.client(token).call(fileTicket, { alias: 'shop', title, body: 'Look.' })
  await file(owner.token, 'Plum jam is missing')
  await file(viewer.token, 'Plum of the viewer')
  await system.db.query(sql`update auth.users set name = 'Dora Plum' where id = ${viewer.user_id}`)
  const staff = { org_id: owner.org_id, staff_email: 'staff@example.com', reason: 'table' }
  const support = await system.operator.call(startSupport, staff)
  const elevated = await system.operator.call(startSupport, staff)
  await system.operator.call(elevateSupport, { id: elevated.id })
  callers = {
    viewer: viewer.token,
    builder: builder.token,
    member: (await colleague('member')).token,
    developer: (await colleague('developer')).token,
    admin: (await colleague('admin')).token,
    owner: owner.token,
    support: support.token,
    elevated: elevated.token,
    other: other.token,
  }
})
afterAll(() => system?.[Symbol.asyncDispose]())

const find = async (caller: string, q: string) =>
  (await system.client(callers[caller]!).call(search, { q })).items.map(({ kind, title }) => `${kind} ${title}`)

const JAM = 'ticket Plum jam is missing'
const OWN = 'ticket Plum of the viewer'
const PUBLIC = 'source plum_public'
const CHANGE = 'change Plums are sold twice'
const OF_DEVELOPERS = [
  'app Plum press',
  PUBLIC,
  'source plum_secret',
  'database plum_public',
  'database plum_secret',
  CHANGE,
  OWN,
  JAM,
]
const OF_ADMINS = [...OF_DEVELOPERS, 'person Dora Plum']

describe('CO-08 a search finds what the lists show to the caller, and nothing else', () => {
  it.each([
    ['viewer', [PUBLIC, OWN]],
    ['builder', [PUBLIC, CHANGE, OWN, JAM]],
    ['member', [PUBLIC]],
    ['developer', OF_DEVELOPERS],
    ['admin', OF_ADMINS],
    ['owner', OF_ADMINS],
    ['support', [PUBLIC]],
    ['elevated', OF_ADMINS],
    ['other', []],
  ])('by name, as %s', async (caller, expected) => {
    expect((await find(caller, 'plum')).toSorted()).toEqual(expected.toSorted())
  })

  it.each([
    ['viewer', false],
    ['builder', true],
    ['member', false],
    ['developer', true],
    ['admin', true],
    ['owner', true],
    ['support', false],
    ['elevated', true],
    ['other', false],
  ])('apps, deploys and changes by id, as %s', async (caller, isShown) => {
    const ids = [shop.id, deployId, deployId.slice(0, 14), proposalId]
    const hits = await Promise.all(ids.map(async (id) => (await find(caller, id)).length))
    expect(hits).toEqual(isShown ? [1, 1, 1, 1] : [0, 0, 0, 0])
  })

  it('an agent and a workload may not search', async () => {
    expect(search.access.principals).toEqual(['user', 'api_token'])
  })
})

describe('CO-08 an answer of the search', () => {
  it('has what an address is built of', async () => {
    const { items } = await system.client(owner.token).call(search, { q: deployId })
    expect(items).toEqual([{ kind: 'deploy', id: deployId, title: deployId, subtitle: 'shop · live', app: 'shop' }])
  })

  it('has exact names first, then those that begin with the text, and no case', async () => {
    expect((await find('owner', 'PLUM_SECRET')).slice(0, 2)).toEqual(['database plum_secret', 'source plum_secret'])
    expect(await find('owner', 'PRESS')).toEqual(['app Plum press'])
    expect(await find('owner', viewer.user_id)).toEqual(['person Dora Plum'])
  })

  it('takes wildcards of SQL as text', async () => {
    for (const q of ['%', 'plum%', 'p_um', '\\', "'"]) expect([q, await find('owner', q)]).toEqual([q, []])
  })

  it('is refused for no text and for more than 100 characters', async () => {
    for (const q of ['', '  ', 'x'.repeat(101)]) {
      await expect(find('owner', q)).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    }
  })

  it('has at most 20 hits', async () => {
    await system.db.query(sql`
      insert into tickets.tickets (id, org_id, app_id, title, body, status, created_at, updated_at)
      select 'tkt_' || lpad(n::text, 26, '0'), ${owner.org_id}, ${shop.id}, 'Quince ' || n, '', 'open', now(), now()
      from generate_series(1, 60) n`)
    expect((await find('owner', 'quince')).length).toBe(20)
  })

  it('leaves the text out of the log', async () => {
    await find('owner', 'unheard-of-quandary')
    expect(system.logs.filter((line) => line.includes('quandary'))).toEqual([])
  })
})

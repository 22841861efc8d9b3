import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import { changeEnvironment, readEnvironment } from '#contract/apps/environment.ts'
import { listAudit } from '#contract/auth/members.ts'
import { elevateSupport, startSupport } from '#contract/auth/support.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import { sql } from '#lib/db/sql.ts'
import { codeOf } from '#test/databases/managed-databases.ts'
import { type System, startSystem } from '#test/system.ts'
import { openEnvironment } from './store.ts'

type Person = Awaited<ReturnType<System['member']>>
type Change = { set?: Record<string, string>; remove?: string[] }

let system: System
let owner: Person
let appId: string

beforeAll(async () => {
  system = await startSystem()
  owner = await system.member('owner')
  appId = (await as(owner).call(createApp, { alias: 'shop' })).id
})
afterAll(() => system?.[Symbol.asyncDispose]())

const as = (person: Person) => system.client(person.token)
const change = (input: Change, alias = 'shop') => as(owner).call(changeEnvironment, { alias, ...input })
const namesOf = ({ items }: { items: readonly { name: string }[] }) => items.map(({ name }) => name)
const problemOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    ({ code, message }: { code: string; message: string }) => `${code}: ${message}`,
  )

describe('MA-15 the environment of an app', () => {
  it('is set and removed by name; values are sealed, never shown and in no log', async () => {
    const secret = 'correct horse battery staple'
    const answer = await change({ set: { API_KEY: secret, _empty: '', GREETING: 'Grüße\n' } })
    expect(answer).toEqual({
      items: ['API_KEY', 'GREETING', '_empty'].map((name) => ({
        name,
        updated_at: expect.any(String),
        updated_by: owner.user_id,
      })),
    })
    expect(await as(owner).call(readEnvironment, { alias: 'shop' })).toEqual(answer)
    const rows = await system.db.query(sql`select * from apps.environment`)
    const { items } = await as(owner).call(listAudit, { org_id: owner.org_id })
    expect(JSON.stringify([rows, items]) + system.logs.join('')).not.toContain('horse')
    const entry = items.find(({ action }) => action === 'app.environment_changed')!
    expect(entry.detail).toEqual({ alias: 'shop', set: ['API_KEY', '_empty', 'GREETING'], removed: [] })
    const sealer = createSealer(system.config.secrets.dataKeys)
    expect(await openEnvironment(system.db, sealer, appId)).toEqual({
      API_KEY: secret,
      _empty: '',
      GREETING: 'Grüße\n',
    })
    expect(namesOf(await change({ set: { API_KEY: 'new' }, remove: ['_empty', 'NEVER_SET'] }))).toEqual([
      'API_KEY',
      'GREETING',
    ])
    expect(await openEnvironment(system.db, sealer, appId)).toEqual({ API_KEY: 'new', GREETING: 'Grüße\n' })
  })

  it.each([
    ['PORT', 'set.PORT: is reserved: svc sets PORT itself'],
    ['HOME', 'set.HOME: is reserved: svc sets HOME itself'],
    ['https_proxy', 'set.https_proxy: is reserved: apps reach the network through the proxy of svc'],
    ['SVC_API_KEY', 'set.SVC_API_KEY: is reserved: names that begin with SVC_ belong to svc'],
  ])('%s is refused, and nothing beside it is saved', async (name, message) => {
    expect(await problemOf(change({ set: { BESIDE: 'x', [name]: 'x' } }))).toBe(`INVALID_REQUEST: ${message}`)
    expect(namesOf(await change({}))).not.toContain('BESIDE')
  })

  it.each([
    ['a name with a hyphen', { set: { 'MY-NAME': 'x' } }],
    ['a name that begins with a digit', { set: { '1A': 'x' } }],
    ['an empty name', { set: { '': 'x' } }],
    ['a name with =', { set: { 'A=B': 'x' } }],
    ['a NUL in the value', { set: { A: 'x\0y' } }],
    ['a value over 32,768 characters', { set: { A: 'x'.repeat(32_769) } }],
    ['one set and removed', { set: { A: 'x' }, remove: ['A'] }],
  ])('%s is refused', async (_, input: Change) => {
    expect(await codeOf(change(input))).toBe('INVALID_REQUEST')
  })

  it('what concerns the app alone can be set', async () => {
    const set = { NODE_OPTIONS: '--max-old-space-size=256', PATH: '/usr/bin', LD_LIBRARY_PATH: '/app/lib' }
    expect(namesOf(await change({ set }))).toEqual(expect.arrayContaining(Object.keys(set)))
  })

  it('has 200 variables and 512 KB at most, and a change beyond them changes nothing', async () => {
    await as(owner).call(createApp, { alias: 'large' })
    const many = (from: number, to: number, value = 'x') =>
      Object.fromEntries(Array.from({ length: to - from }, (_, n) => [`V${from + n}`, value]))
    await change({ set: many(0, 200) }, 'large')
    expect(await problemOf(change({ set: { MORE: 'x' } }, 'large'))).toContain('APP_LIMIT: An app can have 200')
    expect(namesOf(await change({ set: { MORE: 'x' }, remove: ['V0'] }, 'large'))).toHaveLength(200)
    const big = 'x'.repeat(32_000)
    for (const from of [1, 6]) await change({ set: many(from, from + 5, big) }, 'large')
    expect(await problemOf(change({ set: many(11, 16, big) }, 'large'))).toContain('APP_LIMIT: All variables')
    const sealer = createSealer(system.config.secrets.dataKeys)
    const [row] = await system.db.query<{ id: string }>(sql`select id from apps.apps where alias = 'large'`)
    expect((await openEnvironment(system.db, sealer, row!.id)).V11).toBe('x')
  })

  it('a value copied to another name or app cannot be opened there', async () => {
    await system.db.query(sql`update apps.environment set name = 'COPIED' where app_id = ${appId} and name = 'API_KEY'`)
    const sealer = createSealer(system.config.secrets.dataKeys)
    await expect(openEnvironment(system.db, sealer, appId)).rejects.toThrow('sealed for something else')
    await change({ remove: ['COPIED'] })
  })

  it('is not found by another organization, and refused to support sessions', async () => {
    const other = await system.member('owner')
    expect(await codeOf(as(other).call(readEnvironment, { alias: 'shop' }))).toBe('NOT_FOUND')
    expect(await codeOf(as(other).call(changeEnvironment, { alias: 'shop', set: { A: '1' } }))).toBe('NOT_FOUND')
    const ask = { org_id: owner.org_id, staff_email: 's@example.com', reason: 'test' }
    const { id, token } = await system.operator.call(startSupport, ask)
    await system.operator.call(elevateSupport, { id })
    expect(await codeOf(system.client(token).call(changeEnvironment, { alias: 'shop', set: { A: '1' } }))).toBe(
      'FORBIDDEN',
    )
  })
})

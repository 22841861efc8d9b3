import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Principal } from '#contract/core/principal.ts'
import type { AppPart } from '#contract/core/roles.ts'
import { sql } from '#lib/db/sql.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { createAppDirectory } from './directory.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
  await database.db.query(sql`
    insert into apps.apps (id, org_id, alias, name, host_label, health_path, state, created_by, created_at)
    values
      ('app_shop', 'org_1', 'shop', 'Shop', 'a', '/', 'active', 'usr_1', now()),
      ('app_blog', 'org_1', 'blog', 'Blog', 'b', '/', 'active', 'usr_1', now()),
      ('app_gone', 'org_1', 'gone', 'Gone', 'c', '/', 'deleting', 'usr_1', now()),
      ('app_theirs', 'org_2', 'shop', 'Their shop', 'd', '/', 'active', 'usr_2', now())`)
  await database.db.query(sql`
    insert into apps.people (app_id, user_id, part, added_by, added_at)
    values ('app_shop', 'usr_b', 'builder', 'usr_1', now()), ('app_shop', 'usr_m', 'maintainer', 'usr_1', now()),
      ('app_shop', 'usr_a', 'administrator', 'usr_1', now()), ('app_theirs', 'usr_t', 'administrator', 'usr_2', now())`)
})
afterAll(() => database?.[Symbol.asyncDispose]())

function principal(over: Partial<Principal>): Principal {
  return {
    kind: 'api_token',
    id: 'tok_1',
    user_id: null,
    org_id: 'org_1',
    role: 'viewer',
    scopes: [],
    expires_at: null,
    ...over,
  }
}
const PARTS: readonly AppPart[] = ['builder', 'maintainer', 'administrator']
const partsIn = async (alias: string, over: Partial<Principal>) => {
  const { hasPart } = createAppDirectory(database)
  const has = await Promise.all(PARTS.map((part) => hasPart(principal(over), alias, part)))
  return PARTS.filter((_, n) => has[n])
}

describe('AU-07 a part in an app', () => {
  it.each([
    ['usr_b', ['builder']],
    ['usr_m', ['builder', 'maintainer']],
    ['usr_a', ['builder', 'maintainer', 'administrator']],
    ['usr_t', []],
    [null, []],
  ])('%s has %j', async (user_id, parts) => {
    expect(await partsIn('shop', { user_id })).toEqual(parts)
    expect(await partsIn('blog', { user_id })).toEqual([])
  })

  it('is of the organization of the caller', async () => {
    expect(await partsIn('shop', { user_id: 'usr_a', org_id: 'org_2' })).toEqual([])
    expect(await partsIn('shop', { user_id: 'usr_a', org_id: null, role: null })).toEqual([])
    expect(await partsIn('shop', { user_id: 'usr_t', org_id: 'org_2' })).toEqual(PARTS)
  })
})

describe('AU-15 the workload of an app', () => {
  const workload = { kind: 'workload', user_id: null, role: null } as const
  it('builds its own app and no other', async () => {
    expect(await partsIn('shop', { ...workload, deployment: 'app_shop' })).toEqual(['builder'])
    expect(await partsIn('blog', { ...workload, deployment: 'app_shop' })).toEqual([])
    expect(await partsIn('shop', { ...workload, deployment: 'app_theirs' })).toEqual([])
    expect(await partsIn('shop', { ...workload, org_id: 'org_2', deployment: 'app_shop' })).toEqual([])
    expect(await partsIn('gone', { ...workload, deployment: 'app_gone' })).toEqual([])
    expect(await partsIn('none', workload)).toEqual([])
  })
})

it('MA-15 an app is found by its alias or id in its organization, unless it is being deleted', async () => {
  const apps = createAppDirectory(database)
  const shop = { id: 'app_shop', alias: 'shop', name: 'Shop' }
  expect([await apps.find('org_1', 'shop'), await apps.find('org_1', 'app_shop')]).toEqual([shop, shop])
  expect(await apps.find('org_2', 'shop')).toEqual({ id: 'app_theirs', alias: 'shop', name: 'Their shop' })
  const unknown = [
    await apps.find('org_2', 'blog'),
    await apps.find('org_2', 'app_shop'),
    await apps.find('org_1', 'gone'),
  ]
  expect(unknown).toEqual([undefined, undefined, undefined])
  expect(await apps.names('org_1', ['app_shop', 'app_theirs', 'app_none'])).toEqual(new Map([['app_shop', shop]]))
  expect((await apps.listHolders('org_1', 'app_shop')).map(({ user_id }) => user_id)).toEqual([
    'usr_a',
    'usr_b',
    'usr_m',
  ])
  expect(await apps.listHolders('org_2', 'app_shop')).toEqual([])
})

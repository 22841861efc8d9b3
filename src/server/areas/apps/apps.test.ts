import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeApp, createApp, deleteApp, listApps, readApp } from '#contract/apps/apps.ts'
import { listAudit, me } from '#contract/auth/members.ts'
import { elevateSupport, startSupport } from '#contract/auth/support.ts'
import { sql } from '#lib/db/sql.ts'
import { codeOf } from '#test/databases/managed-databases.ts'
import { appPortOf } from '#test/door/app-port.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

type Person = Awaited<ReturnType<System['member']>>

let system: System
let owner: Person
let developer: Person
let other: Person
let slug: string

beforeAll(async () => {
  system = await startSystem()
  owner = await system.member('owner')
  developer = await system.member('developer', owner.org_id)
  other = await system.member('owner')
  slug = (await as(owner).call(me, {})).org!.slug
})
afterAll(() => system?.[Symbol.asyncDispose]())

const as = (person: Person) => system.client(person.token)
const problemOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    ({ code, message }: { code: string; message: string }) => `${code}: ${message}`,
  )

describe('MA-15 apps', () => {
  it('one is created, listed and shown with its address, and its creator becomes its administrator', async () => {
    const settings = { start_command: 'node server.js' }
    const created = await as(developer).call(createApp, { alias: 'shop', name: 'The shop', settings })
    expect(created).toEqual({
      id: expect.stringMatching(/^app_/),
      alias: 'shop',
      name: 'The shop',
      url: `http://shop--${slug}.localhost:${await appPortOf(system.url, `shop--${slug}.localhost`)}`,
      settings: { build_command: null, start_command: 'node server.js', health_path: '/' },
      state: 'active',
      live_deploy: null,
      latest_deploy: null,
      created_at: expect.any(String),
    })
    expect(await as(owner).call(readApp, { alias: 'shop' })).toEqual(created)
    expect((await as(owner).call(listApps, {})).items).toEqual([created])
    // Developers may not change apps; the creator may, by the part.
    expect((await as(developer).call(changeApp, { alias: 'shop', name: 'Shop' })).name).toBe('Shop')
  })

  it('an alias can be used once in an organization, and again in another', async () => {
    expect(await problemOf(as(owner).call(createApp, { alias: 'shop' }))).toBe(
      'CONFLICT: An app with the alias shop already exists. Choose another alias.',
    )
    const theirs = await as(other).call(createApp, { alias: 'shop', settings: { start_command: 'run' } })
    expect(theirs.url).toMatch(/^http:\/\/shop--org-[0-9a-f]{8}\.localhost:/)
  })

  it('an app without a start command runs elsewhere and has no address', async () => {
    const { url, name } = await as(owner).call(createApp, { alias: 'elsewhere' })
    expect([url, name]).toEqual([null, 'elsewhere'])
  })

  it.each([
    ['Shop', 'alias: must begin with a lower-case letter'],
    ['1shop', 'alias: must begin with a lower-case letter'],
    ['my--shop', 'alias: must begin with a lower-case letter'],
    ['shop-', 'alias: must begin with a lower-case letter'],
    ['s.hop', 'alias: must begin with a lower-case letter'],
    ['a'.repeat(31), 'alias: must have at most 30 characters'],
    ['xn', 'alias: must not be xn'],
  ])('the alias %s is refused', async (alias, message) => {
    expect(await problemOf(as(owner).call(createApp, { alias }))).toContain(`INVALID_REQUEST: ${message}`)
  })

  it.each(['health', '//evil.example', '/a b', '/a#b', '/ä'])('the health path %s is refused', async (health_path) => {
    const work = as(owner).call(createApp, { alias: 'sick', settings: { health_path } })
    expect(await problemOf(work)).toContain('INVALID_REQUEST: settings.health_path: must begin with one /')
  })

  it('settings that are not given stay, and null removes a command', async () => {
    const settings = { build_command: 'make', start_command: 'run', health_path: '/up' }
    await as(owner).call(createApp, { alias: 'changing', settings })
    const change = async (over: { build_command?: string | null; health_path?: string }) =>
      (await as(owner).call(changeApp, { alias: 'changing', settings: over })).settings
    expect(await change({ health_path: '/healthz' })).toEqual({ ...settings, health_path: '/healthz' })
    expect(await change({ build_command: null })).toEqual({
      build_command: null,
      start_command: 'run',
      health_path: '/healthz',
    })
  })

  it('apps are not found by another organization', async () => {
    const client = as(other)
    expect((await client.call(listApps, {})).items.map(({ alias }) => alias)).toEqual(['shop'])
    const work = [
      client.call(readApp, { alias: 'elsewhere' }),
      client.call(changeApp, { alias: 'elsewhere', name: 'x' }),
      client.call(deleteApp, { alias: 'elsewhere', confirm: 'elsewhere' }),
    ]
    expect(await Promise.all(work.map(problemOf))).toEqual(Array(3).fill('NOT_FOUND: No such app.'))
  })

  it('the list has pages, newest first', async () => {
    const { items, next_cursor } = await as(owner).call(listApps, { limit: 2 })
    const rest = await as(owner).call(listApps, { limit: 2, cursor: next_cursor! })
    expect([...items, ...rest.items].map(({ alias }) => alias)).toEqual(['changing', 'elsewhere', 'shop'])
    expect(rest.next_cursor).toBeNull()
  })

  it('a label that another organization has gets a hash', async () => {
    await system.db.query(sql`
      update apps.apps set host_label = ${`taken--${slug}`} where org_id = ${other.org_id} and alias = 'shop'`)
    const { url } = await as(owner).call(createApp, { alias: 'taken', settings: { start_command: 'run' } })
    expect(new URL(url!).hostname).toMatch(new RegExp(`^taken--${slug}-[0-9a-f]{10}\\.localhost$`))
  })

  it('an organization has 100 apps at most', async () => {
    const crowded = await system.member('owner')
    await system.db.query(sql`
      insert into apps.apps (id, org_id, alias, name, host_label, health_path, state, created_by, created_at)
      select 'app_crowd' || n, ${crowded.org_id}, 'app' || n, 'App', 'crowd-' || n, '/', 'active', 'usr_x', now()
      from generate_series(1, 100) as n`)
    expect(await codeOf(as(crowded).call(createApp, { alias: 'one-more' }))).toBe('APP_LIMIT')
  })
})

describe('MA-15 deleting an app', () => {
  it('needs the alias as confirmation', async () => {
    await as(owner).call(createApp, { alias: 'kept' })
    expect(await problemOf(as(owner).call(deleteApp, { alias: 'kept', confirm: 'yes' }))).toBe(
      'INVALID_REQUEST: confirm: must be the alias of the app',
    )
    expect((await as(owner).call(readApp, { alias: 'kept' })).state).toBe('active')
  })

  it('removes it with everything that belongs to it, and frees its alias', async () => {
    const { id } = await as(owner).call(createApp, { alias: 'gone' })
    await addDeploy(id)
    const answer = await as(owner).call(deleteApp, { alias: 'gone', confirm: 'gone' })
    expect(answer).toEqual({ alias: 'gone', state: 'deleting' })
    await until(async () => (await codeOf(as(owner).call(readApp, { alias: 'gone' }))) === 'NOT_FOUND')
    const left = await system.db.query(sql`
      select app_id from apps.people where app_id = ${id}
      union all select app_id from apps.revisions where app_id = ${id}
      union all select app_id from apps.deploys where app_id = ${id}`)
    expect(left).toEqual([])
    expect((await as(owner).call(createApp, { alias: 'gone' })).id).not.toBe(id)
  })

  it('changes, people and environment are in the audit log with the alias', async () => {
    const { items } = await as(owner).call(listAudit, { org_id: owner.org_id, limit: 100 })
    const ofGone = items.filter(({ detail }) => (detail as { alias?: string }).alias === 'gone')
    expect(ofGone.map(({ action, actor }) => [action, actor]).toReversed()).toEqual([
      ['app.created', expect.stringMatching(/^tok_/)],
      ['app.deleted', expect.stringMatching(/^tok_/)],
      ['app.created', expect.stringMatching(/^tok_/)],
    ])
  })
})

describe('AU-18 support sessions', () => {
  it('read nothing of apps before they are elevated, and never create or delete one', async () => {
    const ask = { org_id: owner.org_id, staff_email: 's@example.com', reason: 'test' }
    const { id, token } = await system.operator.call(startSupport, ask)
    const client = system.client(token)
    expect((await client.call(listApps, {})).items).toEqual([])
    expect(await codeOf(client.call(readApp, { alias: 'shop' }))).toBe('FORBIDDEN')
    await system.operator.call(elevateSupport, { id })
    expect((await client.call(readApp, { alias: 'shop' })).alias).toBe('shop')
    expect(await codeOf(client.call(deleteApp, { alias: 'shop', confirm: 'shop' }))).toBe('FORBIDDEN')
    expect(await codeOf(client.call(createApp, { alias: 'by-support' }))).toBe('FORBIDDEN')
  })
})

/** A deploy that is live, so that the app has rows in every table. */
async function addDeploy(appId: string): Promise<void> {
  await system.db.query(sql`
    insert into apps.revisions (id, app_id, org_id, digest, manifest, file_count, total_bytes, created_at)
    values ('rev_gone', ${appId}, ${owner.org_id}, ${Buffer.alloc(32)}, '[]', 0, 0, now())`)
  await system.db.query(sql`
    insert into apps.deploys (id, app_id, org_id, revision_id, kind, state, created_at, live_at)
    values ('dep_gone', ${appId}, ${owner.org_id}, 'rev_gone', 'deploy', 'live', now(), now())`)
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { activityStatistics, listActivity } from '#contract/activity.ts'
import { elevateSupport, startSupport } from '#contract/auth/support.ts'
import { ROLES, type Role } from '#contract/core/roles.ts'
import { exposeSource, switchSource } from '#contract/data-sources/sources.ts'
import { createDatabase, dropDatabase } from '#contract/databases.ts'
import { sql } from '#lib/db/sql.ts'
import { askHttp } from '#test/agents/askers.ts'
import { runSvc } from '#test/programs/cli-run.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

type Person = Awaited<ReturnType<System['member']>>

const DATA = { type: 'data_sources' } as const

let system: System
let people: Record<Role, Person>

/** Each role asks a source that is not exposed, with a good and a bad question, and one that does not exist. */
beforeAll(async () => {
  system = await startSystem()
  const owner = await system.member('owner')
  const others = await Promise.all(ROLES.map((role) => system.member(role, owner.org_id)))
  people = { ...(Object.fromEntries(ROLES.map((role, n) => [role, others[n]!])) as Record<Role, Person>), owner }
  const client = system.client(owner.token)
  await client.call(createDatabase, { name: 'salaries' })
  await client.call(switchSource, { name: 'salaries', enabled: true })
  for (const role of ROLES) {
    const { token } = people[role]
    expect((await askHttp(system.url, token, { query: 'x' }, 'db_salaries')).status).toBe(404)
    expect((await askHttp(system.url, token, { query: 'x', top_k: 99 }, 'db_salaries')).status).toBe(400)
    expect((await askHttp(system.url, token, { query: 'x' }, 'db_none')).status).toBe(404)
  }
  await until(
    async () => (await system.db.query(sql`select id from activity.records where status is null`)).length === 0,
  )
})
afterAll(() => system?.[Symbol.asyncDispose]())

/** The targets that each role sees of its own questions. */
async function seenBy({ token, user_id }: Person) {
  const client = system.client(token)
  const list = async (filter: object) =>
    (await client.call(listActivity, { ...DATA, user_id, ...filter })).items.map(({ target }) => target)
  const count = (filter: object) => client.call(activityStatistics, { ...DATA, user_id, ...filter })
  const totals = async (filter: object) =>
    (await count(filter)).targets.map(({ target, total }) => `${target} ${total}`)
  const svc = await runSvc(['activity', '--type', 'data_sources', '--json'], {
    env: { SVC_API_URL: system.url, SVC_API_KEY: token },
  })
  return {
    list: await list({}),
    pages: (await client.call(listActivity, { ...DATA, user_id, limit: 1 })).items.map(({ target }) => target),
    byName: await list({ source_id: 'db_salaries' }),
    byUnknown: await list({ source_id: 'unknown' }),
    statistics: await totals({}),
    statisticsByName: await totals({ target: 'db_salaries' }),
    bucketsByName: (await count({ target: 'db_salaries' })).buckets.reduce((sum, { total }) => sum + total, 0),
    mostCalled: (await count({})).people.map(({ most_called }) => most_called),
    client: [svc.exit, svc.stdout.includes('unknown'), svc.stdout.includes('db_salaries')],
  }
}

const KNOWN = {
  list: ['unknown', 'db_salaries', 'db_salaries'],
  pages: ['unknown'],
  byName: ['db_salaries', 'db_salaries'],
  byUnknown: ['unknown'],
  statistics: ['db_salaries 2', 'unknown 1'],
  statisticsByName: ['db_salaries 2'],
  bucketsByName: 2,
  mostCalled: ['db_salaries'],
  client: [0, true, true],
}
const MASKED = {
  list: ['unknown', 'unknown', 'unknown'],
  pages: ['unknown'],
  byName: [],
  byUnknown: ['unknown', 'unknown', 'unknown'],
  statistics: ['unknown 3'],
  statisticsByName: [],
  bucketsByName: 0,
  mostCalled: ['unknown'],
  client: [0, true, false],
}

describe('DS-20 a source that is not exposed, in Activity', () => {
  it.each([
    ['viewer', MASKED],
    ['member', MASKED],
    ['developer', KNOWN],
    ['admin', KNOWN],
    ['owner', KNOWN],
  ] as const)('role %s sees the name only if it may list sources', async (role, expected) => {
    expect(await seenBy(people[role])).toEqual(expected)
  })

  it('has one target for an admin, whoever asked it', async () => {
    const client = system.client(people.admin.token)
    const { items } = await client.call(listActivity, { ...DATA, source_id: 'db_salaries', limit: 100 })
    expect(items).toHaveLength(10)
    expect(new Set(items.map(({ user_id }) => user_id)).size).toBe(5)
  })

  it('is shown to support once it is elevated', async () => {
    const input = { org_id: people.owner.org_id, staff_email: 's@example.com', reason: 'look' }
    const support = await system.operator.call(startSupport, input)
    system.secrets.push(support.token)
    const found = async () =>
      (await system.client(support.token).call(listActivity, { ...DATA, source_id: 'db_salaries', limit: 100 })).items
    expect(await found()).toEqual([])
    await system.operator.call(elevateSupport, { id: support.id })
    expect(await found()).toHaveLength(10)
  })

  it('is named to all while it is exposed, then only in questions that it answered, also after it was dropped', async () => {
    const owner = system.client(people.owner.token)
    const targets = async () => (await seenBy(people.viewer)).list
    await owner.call(exposeSource, { id: 'db_salaries', exposed: true, min_role: 'admin' })
    expect(await targets()).toEqual(['unknown', 'db_salaries', 'db_salaries'])
    await owner.call(exposeSource, { id: 'db_salaries', exposed: false })
    expect(await targets()).toEqual(['unknown', 'unknown', 'unknown'])
    const [, , oldest] = await system.db.query<{ id: string }>(sql`
      select id from activity.records where user_id = ${people.viewer.user_id} order by id desc`)
    await system.db.query(sql`update activity.records set status = 200 where id = ${oldest!.id}`)
    expect(await targets()).toEqual(['unknown', 'unknown', 'db_salaries'])
    await owner.call(dropDatabase, { name: 'salaries', confirm: 'salaries' })
    expect(await targets()).toEqual(['unknown', 'unknown', 'db_salaries'])
    expect((await seenBy(people.developer)).list).toEqual(['unknown', 'db_salaries', 'db_salaries'])
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setAppPerson } from '#contract/apps/people.ts'
import { changeCheck, createCheck } from '#contract/checks/checks.ts'
import { listFailingChecks, showCheckHistory } from '#contract/checks/overview.ts'
import { newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { newApp, type TestApp } from '#test/apps/apps.ts'
import { type System, startSystem } from '#test/system.ts'

const HOUR_MS = 3_600_000

describe('CO-03 the checks of an organization at a glance', () => {
  let system: System
  let shop: TestApp
  let elsewhere: TestApp
  const checks = new Map<string, string>()

  beforeAll(async () => {
    system = await startSystem({ env: { SVC_CHECK_RETENTION_DAYS: '3650' } })
    ;[shop, elsewhere] = await Promise.all([newApp(system), newApp(system)])
    await create(shop, 'Passes', 'pass', 1)
    await create(shop, 'Fails', 'fail', 2)
    await create(shop, 'Begins to fail', 'failing', 3)
    await create(shop, 'Cannot run', 'error', 4)
    await create(shop, 'Paused', 'fail', 5)
    await create(elsewhere, 'Secret', 'fail', 1)
    await shop.client.call(changeCheck, { alias: shop.alias, check: 'Paused', enabled: false })
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  async function create({ client, alias }: TestApp, name: string, state: string, hoursAgo: number): Promise<void> {
    const definition = { kind: 'http' as const, target: '/up' }
    const { id } = await client.call(createCheck, { alias, name, definition, schedule: { cron: '0 0 1 1 *' } })
    checks.set(name, id)
    const since = new Date(Date.now() - hoursAgo * HOUR_MS)
    await system.db.query(sql`update checks.checks set state = ${state}, state_since = ${since} where id = ${id}`)
  }

  const failing = async (token: string) => (await system.client(token).call(listFailingChecks, {})).items

  it('lists those that do not pass with their app, the latest change first, and no paused ones', async () => {
    const items = await failing(shop.token)
    expect(items.map(({ name, state, app }) => [name, state, app.alias])).toEqual([
      ['Fails', 'fail', shop.alias],
      ['Begins to fail', 'failing', shop.alias],
      ['Cannot run', 'error', shop.alias],
    ])
  })

  it('shows members only checks of apps that they build, and nobody those of another organization', async () => {
    const viewer = await system.member('viewer', shop.org_id)
    expect(await failing(viewer.token)).toEqual([])
    const admin = await system.member('admin', shop.org_id)
    const { alias } = shop
    await system.client(admin.token).call(setAppPerson, { alias, user_id: viewer.user_id, part: 'builder' })
    expect((await failing(viewer.token)).map(({ name }) => name)).toEqual(['Fails', 'Begins to fail', 'Cannot run'])
    expect((await failing(elsewhere.token)).map(({ name }) => name)).toEqual(['Secret'])
    const other = { alias: elsewhere.alias }
    await expect(shop.client.call(showCheckHistory, other)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('shows the worst verdict of each of 90 parts of the time, and nothing where no run ended', async () => {
    // A part of 90 days is a day.
    await ran('Fails', 24.5, 'pass')
    await ran('Fails', 25, 'fail')
    await ran('Fails', 26, 'error')
    await ran('Fails', 0.5, 'pass')
    await ran('Fails', 89.9 * 24, 'indeterminate')
    await ran('Fails', 91 * 24, 'fail')
    const { items } = await shop.client.call(showCheckHistory, { alias: shop.alias, days: 90 })
    expect(items.map(({ check_id }) => check_id)).toEqual(
      ['Begins to fail', 'Cannot run', 'Fails', 'Passes', 'Paused'].map((name) => checks.get(name)),
    )
    const { cells } = items[2]!
    expect(cells).toHaveLength(90)
    expect(cells.flatMap((cell, index) => (cell ? [[index, cell.verdict, cell.runs, cell.passed]] : []))).toEqual([
      [0, 'indeterminate', 1, 0],
      [88, 'fail', 3, 1],
      [89, 'pass', 1, 1],
    ])
    expect(items[3]!.cells).toEqual(Array.from({ length: 90 }, () => null))
  })

  async function ran(name: string, hoursAgo: number, verdict: string): Promise<void> {
    const ended = new Date(Date.now() - hoursAgo * HOUR_MS)
    await system.db.query(sql`
      insert into checks.runs (id, check_id, org_id, app_id, trigger, state, created_at, started_at, ended_at, verdict)
      select ${newId('ckr')}, id, org_id, app_id, 'manual', 'ended', ${ended}, ${ended}, ${ended}, ${verdict}
      from checks.checks where id = ${checks.get(name)}`)
  }
})

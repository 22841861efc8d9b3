import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp, deleteApp, listApps } from '#contract/apps/apps.ts'
import {
  type CheckRun,
  changeCheck,
  createCheck,
  deleteCheck,
  listCheckRuns,
  listChecks,
  MAX_CHECKS_PER_APP,
  readCheck,
  readCheckRun,
  runCheck,
} from '#contract/checks/checks.ts'
import type { Client } from '#contract/core/client.ts'
import { sql } from '#lib/db/sql.ts'
import { newApp, type TestApp } from '#test/apps/apps.ts'
import { eventsOf } from '#test/deliveries/events.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

let system: System
let shop: TestApp
let client: Client
beforeAll(async () => {
  system = await startSystem()
  shop = await newApp(system)
  client = shop.client
})
afterAll(() => system?.[Symbol.asyncDispose]())

const YEARLY = { cron: '0 0 1 1 *' }
const http = (over: object = {}) => ({ kind: 'http' as const, target: '/up', ...over })
const create = (name: string, over: object = {}) =>
  client.call(createCheck, { alias: shop.alias, name, definition: http(), schedule: YEARLY, ...over })
const ended = (check: string, run: CheckRun) =>
  until(async () => {
    const now = await client.call(readCheckRun, { alias: shop.alias, check, run_id: run.id })
    return now.state === 'ended' && now
  })
const refusal = (code: string, message: string) => ({ code, message: expect.stringContaining(message) })

describe('a check', () => {
  it('is created with its defaults, found by name and id, listed newest first, and deleted', async () => {
    const check = await create('Front page')
    expect(check).toMatchObject({
      name: 'Front page',
      definition: { kind: 'http', target: '/up', expected_status: null, contains: null, timeout_seconds: 10 },
      schedule: { cron: '0 0 1 1 *', timezone: 'UTC' },
      threshold: 1,
      enabled: true,
      state: 'unknown',
      last_verdict: null,
    })
    expect(check.next_run_at).toMatch(/-01-01T00:00:00.000Z$/)
    const other = await create('Other')
    const { alias } = shop
    expect((await client.call(listChecks, { alias })).items.map(({ id }) => id)).toEqual([other.id, check.id])
    expect(await client.call(readCheck, { alias, check: 'Front page' })).toEqual(check)
    expect(await client.call(readCheck, { alias, check: check.id })).toEqual(check)
    expect(await client.call(deleteCheck, { alias, check: 'Other' })).toEqual({ id: other.id, deleted: true })
    await expect(client.call(readCheck, { alias, check: other.id })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const actions = await system.db.query<{ action: string }>(sql`
      select action from svc.audit where org_id = ${shop.org_id} and action like 'check.%' order by id`)
    expect(actions.map(({ action }) => action)).toEqual(['check.created', 'check.created', 'check.deleted'])
  })

  it('with an interval runs at once', async () => {
    const { id } = await create('Soon', { schedule: { every_minutes: 1440 } })
    const run = await until(async () => {
      const { items } = await client.call(listCheckRuns, { alias: shop.alias, check: id })
      return items[0]?.state === 'ended' && items[0]
    })
    expect(run).toMatchObject({ trigger: 'schedule', verdict: 'error', code: 'no_address', requested_by: null })
    expect(await client.call(readCheck, { alias: shop.alias, check: id })).toMatchObject({ state: 'error' })
    expect((await eventsOf(system.db, shop.org_id)).at(-1)).toMatchObject({
      type: 'application.check.error',
      body: { status: 'error', actor_id: null, check: { id, name: 'Soon' } },
    })
  })

  it('can be run now, and its event names the person', async () => {
    const { id } = await create('By hand', { definition: { kind: 'log', text: 'ready', min_count: 1 }, threshold: 2 })
    const run = await client.call(runCheck, { alias: shop.alias, check: id })
    expect(run).toMatchObject({ trigger: 'manual', state: 'queued', verdict: null })
    expect(await ended(id, run)).toMatchObject({ verdict: 'fail', code: 'too_few_lines', tokens: null })
    expect(await client.call(readCheck, { alias: shop.alias, check: id })).toMatchObject({
      state: 'failing',
      consecutive_fails: 1,
      last_verdict: 'fail',
    })
    await ended(id, await client.call(runCheck, { alias: shop.alias, check: id }))
    expect(await client.call(readCheck, { alias: shop.alias, check: id })).toMatchObject({ state: 'fail' })
    const event = (await eventsOf(system.db, shop.org_id)).at(-1)
    expect(event).toMatchObject({ type: 'application.check.failed', body: { actor_id: run.requested_by } })
    expect(run.requested_by).toMatch(/^usr_/)
    const { items } = await client.call(listCheckRuns, { alias: shop.alias, check: id, limit: 1 })
    expect(items).toMatchObject([{ trigger: 'manual', verdict: 'fail' }])
  })

  it('is paused and resumed, and keeps what is not changed', async () => {
    const { id } = await create('Paused', { threshold: 3 })
    const { alias } = shop
    const paused = await client.call(changeCheck, { alias, check: id, enabled: false })
    expect(paused).toMatchObject({ enabled: false, next_run_at: null, threshold: 3 })
    const run = await client.call(runCheck, { alias, check: id })
    expect(await ended(id, run)).toMatchObject({ verdict: 'error' })
    expect(await client.call(readCheck, { alias, check: id })).toMatchObject({ state: 'unknown' })
    const resumed = await client.call(changeCheck, { alias, check: id, enabled: true, name: 'Resumed' })
    expect(resumed).toMatchObject({ enabled: true, name: 'Resumed', definition: { target: '/up' } })
    expect(resumed.next_run_at).not.toBeNull()
  })

  it('goes with its app', async () => {
    const gone = await newApp(system)
    const admin = system.client((await system.member('admin', gone.org_id)).token)
    const { id } = await gone.client.call(createCheck, { alias: gone.alias, name: 'Gone', definition: http() })
    await admin.call(deleteApp, { alias: gone.alias, confirm: gone.alias })
    await until(async () => (await gone.client.call(listApps, {})).items.length === 0)
    await gone.client.call(createApp, { alias: gone.alias })
    expect((await gone.client.call(listChecks, { alias: gone.alias })).items).toEqual([])
    await expect(gone.client.call(readCheck, { alias: gone.alias, check: id })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
  })
})

describe('a check is refused', () => {
  it.each([
    ['a name like an id', { name: 'chk_1' }, 'name: must begin with a letter'],
    [
      'a cron expression that never comes true',
      { schedule: { cron: '0 0 31 2 *' } },
      'schedule.cron: This schedule has no date that exists.',
    ],
    ['an unknown timezone', { schedule: { cron: '0 9 * * *', timezone: 'Mars' } }, 'schedule.timezone: Mars'],
    ['a path with a space', { definition: http({ target: '/a b' }) }, 'definition.target: must be a path'],
    ['a path to another host', { definition: http({ target: '//evil.example.com/' }) }, 'definition.target'],
    ['another scheme', { definition: http({ target: 'file:///etc/passwd' }) }, 'definition.target'],
    ['an unknown field', { definition: http({ colour: 'red' }) }, 'definition'],
    ['fewer at most than at least', { definition: { kind: 'log', min_count: 3, max_count: 2 } }, 'min_count'],
    ['more than ten words', { definition: { kind: 'log', text: 'a b c d e f g h i j k' } }, 'at most 10 words'],
    [
      'a model that is not configured',
      { definition: { kind: 'agent', instructions: 'Judge.', model: 'acme/large' } },
      'definition.model: this installation has no chat model acme/large.',
    ],
    ['a threshold of 0', { threshold: 0 }, 'threshold'],
  ])('with %s', async (_, over, message) => {
    await expect(create('Refused', over)).rejects.toMatchObject(refusal('INVALID_REQUEST', message))
  })

  it('if its name is taken, also when it is renamed', async () => {
    await create('Taken')
    await create('Free')
    await expect(create('Taken')).rejects.toMatchObject(refusal('CONFLICT', 'the name Taken already exists'))
    const renamed = client.call(changeCheck, { alias: shop.alias, check: 'Free', name: 'Taken' })
    await expect(renamed).rejects.toMatchObject(refusal('CONFLICT', 'the name Taken already exists'))
  })

  it('if the app is unknown, or is another organization’s', async () => {
    const other = await newApp(system)
    const { id } = await create('Mine')
    for (const [alias, check] of [
      ['unknown', id],
      [shop.alias, 'chk_unknown'],
    ] as const) {
      await expect(client.call(readCheck, { alias, check })).rejects.toMatchObject({ code: 'NOT_FOUND' })
      await expect(client.call(runCheck, { alias, check })).rejects.toMatchObject({ code: 'NOT_FOUND' })
      await expect(client.call(deleteCheck, { alias, check })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    }
    const theirs = { alias: other.alias, check: id }
    await expect(other.client.call(readCheck, theirs)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(other.client.call(runCheck, theirs)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(other.client.call(deleteCheck, theirs)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(
      client.call(readCheckRun, { alias: shop.alias, check: id, run_id: 'ckr_unknown' }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('if the app has as many as it can have', async () => {
    const full = await newApp(system)
    const add = (n: number) =>
      full.client.call(createCheck, { alias: full.alias, name: `n${n}`, definition: http(), schedule: YEARLY })
    for (let n = 0; n < MAX_CHECKS_PER_APP; n++) await add(n)
    await expect(add(MAX_CHECKS_PER_APP)).rejects.toMatchObject(refusal('APP_LIMIT', 'An app can have 50 checks.'))
  })
})

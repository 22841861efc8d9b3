import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readAgentPool } from '#contract/ai.ts'
import { createApp } from '#contract/apps/apps.ts'
import { createCheck } from '#contract/checks/checks.ts'
import { readCheckSeries } from '#contract/checks/series.ts'
import type { Client } from '#contract/core/client.ts'
import { deliveryStatistics } from '#contract/notifications/deliveries.ts'
import { readPipelineSeries } from '#contract/pipelines.ts'
import { newId } from '#edge/ids.ts'
import { type ConsoleVisits, startConsoleVisits } from '#test/browser/console-visit.ts'
import { addDelivery, addPipeline, addQuestion, addSpending, ranCheck, ranPipeline } from '#test/series-rows.ts'
import { makeSource } from '#test/sources/configured-source.ts'
import { needs } from '#test/stores.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
type Person = Awaited<ReturnType<ConsoleVisits['system']['member']>>

/** Two days ago at noon, so that no bucket of these runs is cut by the present. */
const NOON = Math.floor(Date.now() / DAY_MS) * DAY_MS - 2 * DAY_MS + DAY_MS / 2

needs('chromium')('what happened over time, in the console', () => {
  let visits: ConsoleVisits
  let admin: Person
  let client: Client
  let check: string
  beforeAll(async () => {
    visits = await startConsoleVisits()
    admin = await visits.system.member('admin')
    client = visits.system.client(admin.token)
    await client.call(createApp, { alias: 'shop' })
    const definition = { kind: 'http' as const, target: '/up' }
    const schedule = { cron: '0 0 1 1 *' }
    check = (await client.call(createCheck, { alias: 'shop', name: 'Front page', definition, schedule })).id
  })
  afterAll(() => visits?.[Symbol.asyncDispose]())

  const open = (path: string) => visits.visit('admin', path, { person: admin })

  it('CO-16 a check shows its runs as the operation answers them, and a time with 30 of 31 passes is mixed', async () => {
    const { page, faults, axe } = await open(`/apps/shop/checks/${check}`)
    await page.getByText('No runs in the last 24 hours.').waitFor()
    for (let run = 0; run < 31; run++)
      await ranCheck(visits.system.db, check, {
        at: NOON + run * MINUTE_MS,
        verdict: run === 15 ? 'fail' : 'pass',
        ms: 120,
      })
    await page.getByLabel('Time of the charts').selectOption('14d')
    await page.waitForURL(/within=14d/)
    await page.getByText('30 of 31 runs passed in the last 14 days.').waitFor()
    const rows = await tableOf(page, 'How many runs pass?')
    const from = new Date(Date.now() - 14 * DAY_MS + MINUTE_MS).toISOString()
    const { items } = await client.call(readCheckSeries, { alias: 'shop', check, from })
    const answered = items.filter(({ runs }) => runs > 0)
    expect(answered.map(({ state, passed, failed }) => [state, passed, failed])).toEqual([['mixed', 30, 1]])
    expect(rows).toContainEqual(['1', '30', 'Mixed: 30 of 31 passed'])
    expect(await tableOf(page, 'How long do its runs take?')).toContainEqual(['120 ms', '120 ms'])
    expect(await axe()).toEqual([])
    await page.goto(`${visits.system.url}/apps/shop/checks`)
    await page.getByText('30 of 31 runs passed in 30 days').waitFor()
    expect(await page.locator('.strip rect.failure').count()).toBe(0)
    expect(await page.locator('.strip rect.attention').count()).toBe(1)
    expect(faults).toEqual([])
  })

  it('CO-17 a pipeline shows its runs as the operation answers them', async () => {
    const pipeline = await addPipeline(visits.system.db, 'shop', 'invoices')
    const { page, faults, axe } = await open(`/apps/shop/pipelines/${pipeline}?within=14d`)
    await page.getByText('No runs in the last 14 days.').waitFor()
    await ranPipeline(visits.system.db, pipeline, { at: NOON, state: 'succeeded', ms: 90_000 })
    await ranPipeline(visits.system.db, pipeline, { at: NOON + MINUTE_MS, state: 'failed', ms: 1_500 })
    await ranPipeline(visits.system.db, pipeline, { at: NOON + 2 * MINUTE_MS, state: 'missed' })
    await page.reload()
    await page.getByText('1 of 3 runs succeeded in the last 14 days.').waitFor()
    expect(await tableOf(page, 'How many runs succeed?')).toContainEqual(['1', '1', '1'])
    expect(await tableOf(page, 'How long do its runs take?')).toContainEqual(['1.5 s', '1.5 min'])
    const from = new Date(Date.now() - 14 * DAY_MS + MINUTE_MS).toISOString()
    const { items } = await client.call(readPipelineSeries, { alias: 'shop', name: 'invoices', from })
    expect(items.find(({ runs }) => runs > 0)).toMatchObject({ runs: 3, p50_ms: 1_500, p95_ms: 90_000 })
    expect(await axe()).toEqual([])
    expect(faults).toEqual([])
  })

  it('CO-18 the ledger shows each day as the operation answers it, and no event for nobody as a failure', async () => {
    const { db } = visits.system
    const org = admin.org_id
    await addDelivery(db, org, { state: 'sent' })
    await addDelivery(db, org, { state: 'sent', attempt: 2 })
    await addDelivery(db, org, { state: 'failed', attempt: 3 })
    await addDelivery(db, org, { kind: 'none' })
    const { page, faults, axe } = await open('/settings/organization/deliveries')
    const rows = await tableOf(page, 'How many were sent, retried and failed each day?')
    expect(rows).toHaveLength(30)
    expect(rows.at(-1)).toEqual(['1', '1', '1'])
    const { days } = await client.call(deliveryStatistics, {})
    expect(days.at(-1)).toMatchObject({ delivered: 2, retried: 1, not_sent: 2, to_nobody: 1 })
    expect(await axe()).toEqual([])
    expect(faults).toEqual([])
  })

  it('CO-19 a source shows its questions with the share without an answer', async () => {
    const source = await makeSource(client, 'docs', 'create table articles (id text primary key)')
    for (const status of [200, 200, 503, 400]) await addQuestion(visits.system.db, admin, { target: 'db_docs', status })
    await addQuestion(visits.system.db, admin, { target: 'db_other', status: 503 })
    const { page, faults, axe } = await open(`/mcp/sources/${source.source_id}/activity?period=week`)
    await page.getByText('4 questions, 2 without an answer (50 %) in the last 7 days.').waitFor()
    const rows = await tableOf(page, 'How many questions get no answer in the last 7 days?')
    expect(rows.at(-1)).toEqual(['1', '1', '2', '50 %'])
    expect(await axe()).toEqual([])
    expect(faults).toEqual([])
  })

  it('CO-20 the pool shows who used it, as the operation answers it', async () => {
    await addSpending(visits.system.db, admin.org_id, { spender: 'check', reference: check, tokens: 1_200 })
    await addSpending(visits.system.db, admin.org_id, { spender: 'maintenance', reference: newId('exe'), tokens: 300 })
    const { page, faults, axe } = await open('/settings/organization/maintenance')
    expect((await tableOf(page, 'How many tokens did agents use each night?')).at(-1)).toEqual(
      expect.arrayContaining(['1,200', '300']),
    )
    expect(await tableOf(page, 'Which apps used the tokens?')).toEqual([
      ['1,200', '0'],
      ['0', '300'],
    ])
    const { apps } = await client.call(readAgentPool, {})
    expect(apps.map(({ app, checks, maintenance }) => [app?.alias, checks, maintenance])).toEqual([
      ['shop', 1_200, 0],
      [undefined, 0, 300],
    ])
    expect(await axe()).toEqual([])
    expect(faults).toEqual([])
  })
})

/** The values of the rows of a chart's table, without their heads. */
async function tableOf(page: Page, title: string): Promise<string[][]> {
  const chart = page.getByRole('figure', { name: title })
  await chart.getByRole('button', { name: /^Table/ }).click()
  const rows = await chart.locator('tbody tr').allInnerTexts()
  return rows.map((row) => row.split('\t').slice(1))
}

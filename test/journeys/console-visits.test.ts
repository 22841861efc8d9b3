import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCheck } from '#contract/checks/checks.ts'
import { configureSource } from '#contract/data-sources/search-config.ts'
import { exposeSource } from '#contract/data-sources/sources.ts'
import { setFollow } from '#contract/notifications/follows.ts'
import { listInbox } from '#contract/notifications/inbox.ts'
import { newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { type LiveApp, makeLiveApp } from '#test/apps/live-app.ts'
import { proposeChange } from '#test/apps/proposed-change.ts'
import { type ConsoleVisits, startConsoleVisits } from '#test/browser/console-visit.ts'
import { entry, makeSource } from '#test/sources/configured-source.ts'
import { needs } from '#test/stores.ts'
import { until } from '#test/until.ts'

type Member = Awaited<ReturnType<ConsoleVisits['system']['member']>>

const SUMMARY = 'Unknown items crash the request'
const HOUR_MS = 3_600_000
const ARTICLES = `
  create table articles (id text primary key, title text, embedding vector(384));
  insert into articles
  select id, title, array_fill(0.1, array[384])::vector
  from (values ('sick', 'Sick days'), ('cars', 'Cars')) as articles (id, title)`

/** The visits for which the console is made, each with the presses that it costs. */
needs('chromium')('visits of the console', () => {
  let visits: ConsoleVisits
  let admin: Member
  beforeAll(async () => {
    visits = await startConsoleVisits({ env: { SVC_ALLOW_PROCESS_DEPLOYS: 'true' } })
    admin = await visits.system.member('admin')
  })
  afterAll(() => visits?.[Symbol.asyncDispose]())

  it('CO-01 Home tells an admin without a press who asked what, what fails, and which change waits', async () => {
    const [ada, ben] = [await colleague('developer', 'Ada'), await colleague('viewer', 'Ben')]
    for (const hours of [1, 30, 31]) await asked(ada, 'db_handbook', hours)
    await asked(ada, 'db_prices', 50, 503)
    await asked(ben, 'db_prices', 100)
    await asked(ben, 'db_old', 9 * 24)
    const till = await app('till')
    await failingCheck(till, 'Prices answer')
    await propose(till)

    const { page, presses, faults, axe } = await visits.visit('admin', '/', { person: admin })
    const needsYou = page.getByRole('region', { name: 'Needs you' })
    await needsYou.getByRole('link', { name: `till: ${SUMMARY}` }).waitFor()
    await needsYou.getByRole('link', { name: 'till: Prices answer' }).waitFor()
    const questions = page.getByRole('region', { name: 'Questions' })
    await questions.getByText('5 questions, 1 failed.').waitFor()
    const askers = questions.getByRole('table').getByRole('row')
    expect(await askers.allInnerTexts()).toEqual([
      'Person\tAsked most\tQuestions\tFailed',
      'Ada\thandbook\t4\t1',
      'Ben\tprices\t1\t0',
    ])
    expect(await axe()).toEqual([])
    expect(presses()).toBe(0)

    await questions.getByRole('link', { name: 'Ada' }).click()
    await page.getByRole('cell', { name: 'Ada' }).nth(3).waitFor()
    expect(await page.getByRole('cell', { name: 'Ben' }).count()).toBe(0)
    expect(presses()).toBe(1)

    await page.goBack()
    await needsYou.getByRole('link', { name: 'till: Prices answer' }).click()
    await page.getByRole('heading', { name: 'Prices answer' }).waitFor()
    expect(presses()).toBe(1)
    expect(faults).toEqual([])
  })

  it('CO-03 a change is read and approved on a phone in three presses, from the link of its notification', async () => {
    const approver = await visits.system.member('admin', admin.org_id)
    const api = visits.system.client(approver.token)
    const kiosk = await app('kiosk')
    await api.call(setFollow, { app: kiosk.alias, categories: ['maintenance'] })
    await propose(kiosk)
    const { link } = await until(async () => (await api.call(listInbox, {})).items[0])

    const { pathname } = new URL(link, visits.system.url)
    const { page, presses, axe } = await visits.visit('admin', pathname, {
      person: approver,
      isPhone: true,
      isSignedOut: true,
    })
    await page.getByRole('link', { name: /Google/ }).tap()
    await page.getByText(SUMMARY).first().waitFor()
    await page.getByText('last 24 hours').waitFor()
    await page.getByText('total(items[0]?.price)').waitFor()
    await page.getByText('The changed files parse. The app was not built').first().waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
    expect(await axe()).toEqual([])
    await page.getByRole('button', { name: 'Approve and deploy' }).tap()
    await page.getByText('What is live now answers until the new revision is healthy').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Approve and deploy' }).tap()
    await page.getByText('Approved by you').waitFor()
    expect(presses()).toBe(3)
  })

  it('CO-02 a developer sees in eight presses what is wrong with a source, what it answers, and how to connect', async () => {
    const owner = visits.system.client(admin.token)
    const { source_id } = await makeSource(owner, 'manual', ARTICLES)
    const connection_config = { embedding_configs: [entry({ label: 'articles' })] }
    await owner.call(configureSource, { id: source_id, connection_config, filter_schema: {} })
    await owner.call(exposeSource, { id: source_id, exposed: true, min_role: 'viewer' })

    const developer = await colleague('developer', 'Dana')
    const { page, presses, faults, axe } = await visits.visit('developer', '/mcp/sources', { person: developer })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('link', { name: 'manual' }).click()
    await page.getByRole('link', { name: 'Configuration' }).click()
    await page.getByRole('region', { name: 'Warnings' }).or(page.getByText('How it is searched')).first().waitFor()
    await page.getByText('"table": "articles"').first().waitFor()
    await page.getByRole('link', { name: 'Ask', exact: true }).click()
    await page.getByLabel('Question').click()
    await page.keyboard.type('how many sick days')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('heading', { name: '2 hits', exact: true }).waitFor()
    await page.getByRole('link', { name: 'Connected agents' }).click()
    await page.getByText('Claude Code').click()
    expect(await axe()).toEqual([])
    await page.locator('details[open]').getByRole('button', { name: 'Copy' }).click()
    const command = `claude mcp add --transport http svc ${visits.system.url}/mcp/platform\nclaude mcp login svc`
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(command)
    expect(presses()).toBe(8)
    expect(faults).toEqual([])
  })

  async function colleague(role: 'developer' | 'viewer', name: string): Promise<Member> {
    const member = await visits.system.member(role, admin.org_id)
    await visits.system.db.query(sql`update auth.users set name = ${name} where id = ${member.user_id}`)
    return member
  }

  async function asked({ org_id, user_id }: Member, target: string, hoursAgo: number, status = 200): Promise<void> {
    const at = new Date(Date.now() - hoursAgo * HOUR_MS)
    await visits.system.db.query(sql`
      insert into activity.records
        (id, org_id, type, source, target, principal_kind, principal_id, user_id, asked_at, counted, key_id, digest,
         question_bytes, status, duration_ms, answer_bytes)
      values (${newId('act', at.getTime())}, ${org_id}, 'data_source', 'api', ${target}, 'user', ${user_id}, ${user_id},
              ${at}, true, 'key', ${Buffer.alloc(16)}, 1, ${status}, 12, 1)`)
  }

  const app = (alias: string) =>
    makeLiveApp(visits.system, admin, { alias, files: { 'server.js': 'total(items[0].price)\n' } })

  async function failingCheck({ alias }: LiveApp, name: string): Promise<void> {
    const definition = { kind: 'http', target: '/up' } as const
    const check = { alias, name, definition, schedule: { cron: '0 0 1 1 *' } }
    const { id } = await visits.system.client(admin.token).call(createCheck, check)
    await visits.system.db.query(sql`update checks.checks set state = 'fail', state_since = now() where id = ${id}`)
  }

  const propose = (of: LiveApp) =>
    proposeChange(visits.system, {
      app: of,
      person: admin,
      files: { 'server.js': 'total(items[0]?.price)\n' },
      summary: SUMMARY,
      requestedBy: admin.user_id,
    })
})

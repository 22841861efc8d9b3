import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import { endSupport, startSupport } from '#contract/auth/support.ts'
import { newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { type ConsoleVisits, startConsoleVisits } from '#test/browser/console-visit.ts'
import { needs } from '#test/stores.ts'

type Person = { org_id: string; user_id: string }

needs('chromium')('pages about the organization and the person', () => {
  let visits: ConsoleVisits
  beforeAll(async () => {
    visits = await startConsoleVisits()
  })
  afterAll(() => visits?.[Symbol.asyncDispose]())

  /** Writes the record of a question. Without duration and status the process crashed before the answer. */
  async function recordCall(
    { org_id, user_id }: Person,
    ms: number | null,
    status: number | null,
    daysAgo = 0,
  ): Promise<void> {
    await visits.system.db.query(sql`
      insert into activity.records (id, org_id, type, source, target, principal_kind, principal_id, user_id, asked_at,
        counted, key_id, digest, question_bytes, duration_ms, status)
      values (${newId('act')}, ${org_id}, 'data_source', 'cli', 'db_docs', 'user', ${user_id}, ${user_id},
        now() - make_interval(days => ${daysAgo}),
        true, 'key', ${Buffer.alloc(16)}, 10, ${ms}, ${status})`)
  }

  it('CO-02 how long answers took is said for one day, drawn for two, and shown as a table', async () => {
    const person = await visits.system.member('owner')
    await recordCall(person, 100, 200)
    await recordCall(person, 300, 200)
    await recordCall(person, null, null)
    const { page, axe, faults } = await visits.visit('owner', '/mcp/activity?type=data_sources', { person })
    await page.getByText(/half of them took at most 200 ms, 95 of 100 at most 290 ms/).waitFor()
    await recordCall(person, 50, 200, 1)
    await page.reload()
    const chart = page.getByRole('figure', { name: 'How long did answers take in the last 30 days?' })
    await chart.getByRole('img', { name: /p50: .*200 ms\. p95: .*290 ms/ }).waitFor()
    await chart.getByRole('button', { name: 'Table' }).click()
    expect(await chart.getByRole('row').last().getByRole('cell').allInnerTexts()).toEqual(['200 ms', '290 ms'])
    expect(await axe()).toEqual([])
    expect(faults).toEqual([])
  })

  it('AU-18 every page says that a support session is open, and no longer when it ended', async () => {
    const owner = await visits.system.member('owner')
    const { org_id } = owner
    const session = { org_id, staff_email: 'sam@vendor.example', reason: 'ticket 7' }
    const { id } = await visits.system.operator.call(startSupport, session)
    const viewer = await visits.visit('viewer', '/mcp/sources', { orgId: org_id, isPhone: true, isDark: true })
    await viewer.page.getByText('Support staff of the vendor can read this organization.').waitFor()
    expect(await viewer.page.content()).not.toContain('sam@vendor.example')
    expect(await viewer.axe()).toEqual([])
    const { page, axe, faults } = await visits.visit('owner', '/', { person: owner })
    await page.getByRole('link', { name: 'See who and why' }).click()
    await page.getByRole('cell', { name: 'ticket 7', exact: true }).waitFor()
    expect(await axe()).toEqual([])
    await visits.system.operator.call(endSupport, { id })
    const answered = page.waitForResponse((response) => response.url().endsWith('/support-sessions/open'))
    await page.reload()
    await answered
    await page.getByRole('cell', { name: 'Ended', exact: true }).waitFor()
    expect(await page.getByText('Support staff of the vendor').count()).toBe(0)
    expect([...faults, ...viewer.faults]).toEqual([])
  })

  it('CO-01 a person sees where they are signed in and signs another browser out', async () => {
    const person = await visits.system.member('viewer')
    const other = await visits.visit('viewer', '/', { person })
    const { page, axe, faults } = await visits.visit('viewer', '/settings/profile/sessions', { person })
    await page.getByText('This session', { exact: true }).waitFor()
    expect(await axe()).toEqual([])
    await page.getByRole('button', { name: /^End session/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End session' }).click()
    await page.getByText('The session has ended.').waitFor()
    expect(await page.getByRole('button', { name: /^End session/ }).count()).toBe(0)
    await other.page.goto(`${visits.system.url}/inbox`)
    await other.page.waitForURL(/\/auth\/login/)
    expect(faults).toEqual([])
  })

  it('CO-01 an owner renames the organization and lets the people of a domain join', async () => {
    const { page, axe, faults, user_id } = await visits.visit('owner', '/settings/organization')
    // An owner may add only a domain of which nobody else has an address.
    await visits.system.db.query(sql`update auth.users set email = 'ada@tea.example' where id = ${user_id}`)
    await page.getByLabel('Name of the organization').fill('Tea Traders')
    await page.getByRole('button', { name: 'Rename organization' }).click()
    await page.getByRole('complementary').getByText('Tea Traders').waitFor()
    expect(await axe()).toEqual([])
    await page.getByRole('link', { name: 'Domains' }).click()
    await page.getByRole('textbox', { name: 'Domain' }).fill('foreign.example')
    await page.getByRole('button', { name: 'Add domain' }).click()
    await page.getByText('Ask the operator to add foreign.example').waitFor()
    await page.getByRole('textbox', { name: 'Domain' }).fill('Tea.example')
    await page.getByRole('button', { name: 'Add domain' }).click()
    await page.getByRole('cell', { name: 'tea.example', exact: true }).waitFor()
    expect(await axe()).toEqual([])
    await page.getByRole('button', { name: 'Remove tea.example' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove domain' }).click()
    await page.getByRole('heading', { name: 'No domains', exact: true }).waitFor()
    // The browser reports the refusal of the foreign domain as a failed request.
    expect(faults.filter((fault) => !fault.includes('403'))).toEqual([])
  })

  it('CO-02 Activity shows a call that is made while it is open, without a press', async () => {
    const person = await visits.system.member('owner')
    const { page, faults } = await visits.visit('owner', '/mcp/activity?type=data_sources', { person })
    await page.getByRole('heading', { name: 'No questions yet', exact: true }).waitFor()
    await recordCall(person, 50, 200)
    await page.getByRole('cell', { name: '50 ms' }).waitFor()
    expect(faults).toEqual([])
  })

  it('CO-04 the navigation counts unread notifications, and no longer those that were read', async () => {
    const person = await visits.system.member('owner')
    const { org_id, user_id } = person
    await visits.system.db.query(sql`
      insert into notifications.inbox (id, event_id, user_id, org_id, event_type, subject, occurred_at, link)
      values (${newId('ntf')}, ${newId('evt')}, ${user_id}, ${org_id}, 'notification.test', 'A test', now(), '/')`)
    const { page, axe, faults } = await visits.visit('owner', '/inbox', { person })
    await page.getByRole('link', { name: 'Inbox 1 unread' }).waitFor()
    expect(await axe()).toEqual([])
    await page.getByRole('button', { name: /^Mark as read/ }).click()
    await page.getByRole('link', { name: 'Inbox', exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Mark all as read' }).count()).toBe(0)
    await visits.system.db.query(sql`update notifications.inbox set read_at = null where user_id = ${user_id}`)
    // Shown without a reload: the list is read again while it is open.
    await page.getByRole('button', { name: /^Mark as read/ }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Mark all as read' }).click()
    await page.getByText('Marked 1 notification as read.').waitFor()
    await page.getByRole('link', { name: 'Inbox', exact: true }).waitFor()
    expect(faults).toEqual([])
  })

  it('CO-01 the audit log and checks name people; a check that a model judges is created by a form', async () => {
    const owner = await visits.system.member('owner')
    const { org_id } = owner
    const builder = await visits.visit('admin', '/', { orgId: org_id })
    await visits.system.client(builder.token).call(createApp, { alias: 'shop' })
    await builder.page.goto(`${visits.system.url}/apps/shop/checks`)
    await builder.page.getByRole('button', { name: 'Create check' }).first().click()
    await builder.page.getByLabel('Name').fill('Orders')
    await builder.page.getByLabel('Looks at').selectOption('A model judges the log')
    await builder.page.getByLabel('Instructions').fill('Fail if an order was lost.')
    await builder.page.getByLabel('Runs').selectOption('At times of a cron expression')
    expect(await builder.axe()).toEqual([])
    await builder.page.getByRole('textbox', { name: 'Model' }).fill('none/none')
    await builder.page.getByRole('dialog').getByRole('button', { name: 'Create check' }).click()
    // Nothing is lost when the server refuses: this installation has no model of that name.
    await builder.page
      .getByRole('dialog')
      .getByText(/none\/none/)
      .last()
      .waitFor()
    await builder.page.getByLabel('Looks at').selectOption('A path answers')
    await builder.page.getByRole('dialog').getByRole('button', { name: 'Create check' }).click()
    await builder.page.getByRole('link', { name: 'Orders' }).click()
    await builder.page.getByText('by you').waitFor()
    const { page, faults } = await visits.visit('owner', '/settings/organization/audit', { person: owner })
    await page.getByRole('cell', { name: 'Pat admin' }).first().waitFor()
    expect(await page.getByRole('table', { name: 'Audit log' }).innerText()).not.toMatch(/usr_/)
    await page.getByLabel('About').selectOption('Check')
    await page.getByRole('cell', { name: 'App: created' }).waitFor({ state: 'detached' })
    await page.getByRole('cell', { name: 'Check: created' }).waitFor()
    expect(new URL(page.url()).search).toBe('?subject=check')
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    const lines = readFileSync(await (await saved).path(), 'utf8')
      .trimEnd()
      .split('\n')
    expect(lines.map((line) => JSON.parse(line).action)).toEqual(['check.created'])
    expect(faults).toEqual([])
  })
})

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sql } from '#lib/db/sql.ts'
import { makeLiveApp } from '#test/apps/live-app.ts'
import { proposeChange } from '#test/apps/proposed-change.ts'
import { type ConsoleVisits, startConsoleVisits } from '#test/browser/console-visit.ts'
import { needs } from '#test/stores.ts'

type Member = Awaited<ReturnType<ConsoleVisits['system']['member']>>

/** More than any page has before what a test looks for. */
const MAX_STOPS = 80
const ROWS = 1_000

needs('chromium')('the console without a mouse', () => {
  let visits: ConsoleVisits
  let admin: Member
  beforeAll(async () => {
    visits = await startConsoleVisits({ env: { SVC_ALLOW_PROCESS_DEPLOYS: 'true' } })
    admin = await visits.system.member('admin')
  })
  afterAll(() => visits?.[Symbol.asyncDispose]())

  it('CO-06 the first stop skips the navigation, every stop is visible, and a new page takes the focus', async () => {
    const { page } = await visits.visit('admin', '/', { person: admin })
    await page.getByRole('region', { name: 'Needs you' }).waitFor()
    await page.keyboard.press('Tab')
    expect(await focused(page)).toEqual({ text: 'Skip to content', isSeen: true })
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
    await page.reload()
    await page.getByRole('region', { name: 'Needs you' }).waitFor()
    await tabTo(page, 'API tokens')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'API tokens' }).waitFor()
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
  })

  it('CO-06 a dialog takes the focus, keeps it, closes with Escape and gives it back', async () => {
    const { page, faults } = await visits.visit('admin', '/settings/tokens', { person: admin })
    await page.getByRole('table').waitFor()
    await tabTo(page, 'Create API token')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    for (let stop = 0; stop < 12; stop++) {
      await page.keyboard.press('Tab')
      const isInside = () =>
        document.activeElement === document.body || document.activeElement?.closest('dialog') != null
      expect(await page.evaluate(isInside)).toBe(true)
    }
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect((await focused(page)).text).toBe('Create API token')
    await page.keyboard.press('Enter')
    await page.getByLabel('Name').focus()
    await page.keyboard.type('laptop')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Copy your API token', exact: true }).waitFor()
    await tabTo(page, 'Done')
    await page.keyboard.press('Enter')
    await tabTo(page, 'Revoke laptop')
    await page.keyboard.press('Enter')
    await tabTo(page, 'Revoke API token')
    await page.keyboard.press('Enter')
    await page.getByText('Revoked laptop.').waitFor()
    expect(faults).toEqual([])
  })

  it('CO-03 a change is opened from its list and approved', async () => {
    const app = await makeLiveApp(visits.system, admin, { alias: 'till', files: { 'server.js': 'sell(1)\n' } })
    const summary = 'One is sold twice'
    await proposeChange(visits.system, { app, person: admin, files: { 'server.js': 'sell(2)\n' }, summary })
    const { page, faults } = await visits.visit('admin', '/changes', { orgId: admin.org_id })
    await page.getByRole('link', { name: summary }).waitFor()
    await tabTo(page, summary)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Decision', exact: true }).waitFor()
    await tabTo(page, 'Approve and deploy')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await tabTo(page, 'Approve and deploy')
    await page.keyboard.press('Enter')
    await page.getByText('Approved by you').waitFor()
    expect(faults).toEqual([])
  })

  it('CO-06 the menu of a phone opens and closes by keyboard, without motion where people want none', async () => {
    const { page } = await visits.visit('admin', '/', { person: admin, isPhone: true })
    await page.getByRole('region', { name: 'Needs you' }).waitFor()
    await tabTo(page, 'Menu')
    await page.keyboard.press('Enter')
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Data sources' }).waitFor()
    expect(await page.locator('.sidebar').evaluate((sidebar) => getComputedStyle(sidebar).transitionDuration)).toBe(
      '0s, 0s',
    )
    await tabTo(page, 'Inbox')
    await page.keyboard.press('Escape')
    await page.locator('.sidebar.open').waitFor({ state: 'detached' })
    expect((await focused(page)).text).toBe('Menu')
  })

  it('CO-06 a long list has few rows in the page, and is scrolled to its end by keyboard', async () => {
    await visits.system.db.query(sql`
      insert into activity.records
        (id, org_id, type, source, target, principal_kind, principal_id, user_id, asked_at, counted, key_id, digest,
         question_bytes, status, duration_ms, answer_bytes)
      select 'act_' || lpad(n::text, 26, '0'), ${admin.org_id}, 'data_source', 'api', 'db_docs', 'user', ${admin.user_id},
        ${admin.user_id}, now() - n * interval '1 second', true, 'key', decode(repeat('00', 16), 'hex'), 1, 200, 5, 1
      from generate_series(1, ${ROWS}::int) n`)
    const { page } = await visits.visit('admin', '/mcp/activity?type=data_sources', { person: admin })
    const list = page.locator('.table-frame.long')
    await list.locator('tbody tr').nth(5).waitFor()
    await list.focus()
    let most = 0
    while ((await list.locator(`[aria-rowindex="${ROWS + 1}"]`).count()) === 0) {
      await page.keyboard.press('End')
      most = Math.max(most, await list.locator('tbody tr').count())
    }
    expect(most).toBeGreaterThan(10)
    expect(most).toBeLessThan(100)
  })
})

/** Presses Tab until something with this text has the focus, and asserts that every stop on the way can be seen. */
async function tabTo(page: Page, text: string): Promise<void> {
  for (let stop = 0; stop < MAX_STOPS; stop++) {
    await page.keyboard.press('Tab')
    const found = await focused(page)
    if (found.text !== '') expect(found).toEqual({ text: found.text, isSeen: true })
    if (found.text === text) return
  }
  throw new Error(`no stop is ${text}`)
}

/** The text of what has the focus, and whether a ring around it is in sight. */
async function focused(page: Page): Promise<{ text: string; isSeen: boolean }> {
  return page.evaluate(() => {
    const element = document.activeElement
    if (!element || element === document.body) return { text: '', isSeen: false }
    const { top, bottom, width, height } = element.getBoundingClientRect()
    const isInSight = width > 0 && height > 0 && bottom > 0 && top < innerHeight
    const hasRing = getComputedStyle(element).outlineStyle !== 'none'
    const text = (element.textContent || element.getAttribute('aria-label') || element.tagName).trim()
    return { text, isSeen: isInSight && hasRing }
  })
}

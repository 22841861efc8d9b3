import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { exposeSource, switchSource } from '#contract/data-sources/sources.ts'
import { createDatabase } from '#contract/databases.ts'
import { fileTicket } from '#contract/tickets.ts'
import { sql } from '#lib/db/sql.ts'
import { makeLiveApp } from '#test/apps/live-app.ts'
import { proposeChange } from '#test/apps/proposed-change.ts'
import { type ConsoleVisits, startConsoleVisits } from '#test/browser/console-visit.ts'
import { needs } from '#test/stores.ts'

type Member = Awaited<ReturnType<ConsoleVisits['system']['member']>>

needs('chromium')('the palette', () => {
  let visits: ConsoleVisits
  let owner: Member
  /** Name and address of a thing of each kind. */
  let things: readonly (readonly [name: string, path: string])[]
  beforeAll(async () => {
    visits = await startConsoleVisits({ env: { SVC_ALLOW_PROCESS_DEPLOYS: 'true' } })
    const { system } = visits
    owner = await system.member('owner')
    const client = system.client(owner.token)
    const app = await makeLiveApp(system, owner, { alias: 'till', files: { 'server.js': 'sell(1)\n' } })
    const summary = 'One is sold twice'
    const change = { app, person: owner, files: { 'server.js': 'sell(2)\n' }, summary }
    const { proposalId } = await proposeChange(system, change)
    const ticket = await client.call(fileTicket, { alias: 'till', title: 'The drawer is stuck', body: 'Look.' })
    await client.call(createDatabase, { name: 'handbook' })
    await client.call(switchSource, { name: 'handbook', enabled: true })
    await client.call(exposeSource, { id: 'db_handbook', exposed: true, min_role: 'viewer' })
    const [deploy] = await system.db.query<{ id: string }>(sql`select id from apps.deploys where app_id = ${app.id}`)
    things = [
      ['till', '/apps/till'],
      ['handbook', '/databases'],
      ['db_handbook', '/mcp/sources/db_handbook'],
      [owner.email, '/settings/organization/members'],
      [summary, `/apps/till/changes/${proposalId}`],
      ['The drawer is stuck', `/apps/till/tickets/${ticket.id}`],
      [deploy!.id, `/apps/till/deploys/${deploy!.id}`],
      ['Audit log', '/settings/organization/audit'],
    ]
  })
  afterAll(() => visits?.[Symbol.asyncDispose]())

  it('CO-08 anything with a name is two keys beyond its name away, from wherever one is', async () => {
    const { page, faults } = await visits.visit('owner', '/', { person: owner })
    for (const [name, path] of things) {
      await page.keyboard.press('Control+k')
      await page.keyboard.type(name)
      await page.keyboard.press('Enter')
      await page.waitForURL(`**${path}`)
    }
    expect(faults).toEqual([])
  })

  it('CO-08 it is a combobox with a count, moves by arrows, starts with recent things and gives the focus back', async () => {
    const { page, faults, axe } = await visits.visit('owner', '/inbox', { person: owner })
    const field = page.getByRole('combobox', { name: 'Search pages, things and actions' })
    const selected = page.locator('.palette [aria-selected="true"]')
    await page.getByRole('button', { name: 'Search' }).focus()
    await page.keyboard.press('/')
    await page.getByRole('option', { name: /^Home/ }).waitFor()
    expect(await axe()).toEqual([])
    await page.keyboard.type('handbook')
    await page.getByRole('status').filter({ hasText: '2 results' }).waitFor()
    expect(await selected.innerText()).toContain('Database')
    await page.keyboard.press('ArrowDown')
    await selected.filter({ hasText: 'Data source' }).waitFor()
    expect(await field.getAttribute('aria-activedescendant')).toBe(await selected.getAttribute('id'))
    expect(await axe()).toEqual([])
    await field.fill('no such name')
    await page.getByText('Nothing that you may see has “no such name” in its name.').waitFor()
    await page.keyboard.press('Escape')
    await field.waitFor({ state: 'detached' })
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Search')

    await page.keyboard.press('Control+k')
    await page.keyboard.type('Create API token')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Create API token' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByLabel('Name').fill('g a / ?')
    expect(await page.getByRole('combobox', { name: /Search/ }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await page.locator('#palette-results-0', { hasText: 'Create API token' }).waitFor()
    expect(faults).toEqual([])
  })

  it('CO-08 keys list the shortcuts and go to pages, and a role gets those of its pages', async () => {
    const { page, faults, axe } = await visits.visit('viewer', '/', { orgId: owner.org_id })
    await page.keyboard.press('?')
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await list.getByText('Go to Apps').waitFor()
    expect(await list.getByText('Go to Changes').count()).toBe(0)
    expect(await axe()).toEqual([])
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'detached' })
    await press(page, 'g', 'c')
    await press(page, 'g', 'a')
    await page.waitForURL('**/apps')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('drawer')
    await page.getByText('Nothing that you may see has “drawer” in its name.').waitFor()
    expect(faults).toEqual([])
  })

  it('CO-08 a phone has a button for it, and a search that fails says so', async () => {
    const { page, axe } = await visits.visit('owner', '/', { person: owner, isPhone: true })
    await page.route('**/api/wf/search**', (route) => route.abort())
    await page.locator('header.top').getByRole('button', { name: 'Search' }).click()
    await page.keyboard.type('till')
    await page.getByRole('alert').filter({ hasText: 'Cannot reach the service.' }).waitFor()
    expect(await axe()).toEqual([])
  })
})

async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import { createOrg } from '#contract/auth/auth.ts'
import { createToken } from '#contract/auth/tokens.ts'
import { CONSOLE_ADDRESSES } from '#contract/console.ts'
import { eventLink } from '#contract/core/events.ts'
import { createWebhook } from '#contract/notifications/webhooks.ts'
import { type ConsoleVisits, startConsoleVisits } from '#test/browser/console-visit.ts'
import { exampleEvent, SUBSCRIBABLE_TYPES } from '#test/deliveries/example-events.ts'
import { needs } from '#test/stores.ts'

const TABS = 4

needs('chromium')('the console in a browser', () => {
  let visits: ConsoleVisits
  beforeAll(async () => {
    visits = await startConsoleVisits()
  })
  afterAll(() => visits?.[Symbol.asyncDispose]())

  it('CO-05 a person creates an API token, which works, and revokes it', async () => {
    const { page, faults, axe, email } = await visits.visit('viewer', '/settings/tokens')
    await page
      .getByRole('heading', { name: 'No API tokens yet', exact: true })
      .or(page.getByRole('table'))
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Create API token' }).click()
    await page.getByLabel('Name').fill('laptop')
    await page.getByRole('dialog').getByRole('button', { name: 'Create API token' }).click()
    const token = await page.getByRole('dialog').locator('code').innerText()
    const me = await fetch(`${visits.system.url}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } })
    expect(await me.json()).toMatchObject({ user: { email }, role: 'viewer' })
    expect(await axe()).toEqual([])
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Revoke laptop' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke API token' }).click()
    await page.getByText('Revoked laptop.').waitFor()
    expect(faults).toEqual([])
    const after = await fetch(`${visits.system.url}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } })
    expect(after.status).toBe(401)
  })

  it('CO-06 the first page loads at most 200 KB of scripts', async () => {
    const { page } = await visits.visit('admin', '/')
    const bytes = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .filter(({ name }) => name.endsWith('.js'))
        .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0),
    )
    console.log(`scripts of the first page: ${bytes} bytes`)
    expect(bytes).toBeGreaterThan(10_000)
    expect(bytes).toBeLessThanOrEqual(200_000)
  })

  it('CO-01 a session that ends in the middle of a form keeps the form', async () => {
    const { page } = await visits.visit('viewer', '/settings/tokens', { signsInAgain: true })
    await page.getByRole('button', { name: 'Create API token' }).click()
    await page.getByLabel('Name').fill('laptop')
    const context = page.context()
    await context.clearCookies()
    await page.getByRole('dialog').getByRole('button', { name: 'Create API token' }).click()
    await page.getByRole('heading', { name: 'Your session ended', exact: true }).waitFor()
    const second = context.waitForEvent('page')
    await page.getByRole('link', { name: 'Sign in in a new tab' }).click()
    const tab = await second
    await tab.getByRole('link', { name: /Google/ }).click()
    await tab.getByRole('heading', { name: 'You are signed in', exact: true }).waitFor()
    await page.getByRole('heading', { name: 'Your session ended', exact: true }).waitFor({ state: 'detached' })
    expect(await page.getByLabel('Name').inputValue()).toBe('laptop')
    await page.getByRole('dialog').getByRole('button', { name: 'Create API token' }).click()
    await page.getByRole('heading', { name: 'Copy your API token', exact: true }).waitFor()
  })

  it('CO-01 a tab never shows or changes another organization than the one it was opened for', async () => {
    const person = await visits.system.member('owner')
    const api = visits.system.client(person.token)
    await api.call(createApp, { alias: 'only-in-first' })
    const first = await visits.visit('owner', '/apps', { person })
    await first.page
      .getByText(/only.in.first/i)
      .first()
      .waitFor()
    const other = await api.call(createOrg, { name: 'Second organization' })
    // An answer of the first organization is on its way while the person switches in another tab.
    const released = Promise.withResolvers<void>()
    await first.page.route('**/api/deploy/deployments?*', async (route) => {
      await released.promise
      await route.continue()
    })
    const tab = await first.page.context().newPage()
    await tab.goto(`${visits.system.url}/`)
    await tab.getByLabel('Organization', { exact: true }).selectOption(other.id)
    await tab.getByRole('heading', { name: 'Second organization', exact: true }).waitFor()
    released.resolve()
    await first.page.getByRole('heading', { name: 'Second organization', exact: true }).waitFor()
    expect(await first.page.getByText(/only.in.first/i).count()).toBe(0)
  })

  it('CO-06 a viewer gets nothing in pages, storage or traffic that the role may not see', async () => {
    const admin = await visits.system.member('admin')
    const api = visits.system.client(admin.token)
    const canary = `canary-${admin.org_id.slice(-8)}`
    await api.call(createApp, { alias: canary })
    await api.call(createToken, { name: `token-${canary}` })
    await api.call(createWebhook, { url: `https://93.184.215.14/${canary}`, name: `hook-${canary}` })
    const viewer = await visits.visit('viewer', '/', { orgId: admin.org_id })
    const seen: string[] = []
    const open = async (page: Page, address: string) => {
      await page.goto(`${visits.system.url}${address.replaceAll('{alias}', canary).replace(/\{\w+\}/g, 'x')}`)
      await page.locator('h1').waitFor()
      await page.waitForLoadState('networkidle')
      const shown = await page.locator('main').innerText()
      const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))
      // The address itself names the app, and pages repeat it.
      seen.push(address.includes('{alias}') ? shown.replaceAll(canary, '') : shown, stored)
    }
    // Most of the time pages wait for nothing more to come, so several are opened at once.
    const tabs = await Promise.all(Array.from({ length: TABS }, () => viewer.page.context().newPage()))
    await Promise.all(
      tabs.map(async (page, tab) => {
        page.on('response', (response) => {
          if (response.url().includes('/api/')) void response.text().then((text) => seen.push(text), String)
        })
        for (const address of CONSOLE_ADDRESSES.filter((_, index) => index % TABS === tab)) await open(page, address)
      }),
    )
    expect(seen.length).toBeGreaterThan(CONSOLE_ADDRESSES.length)
    const text = seen.join('\n')
    const found = [canary, admin.email, admin.token].filter((secret) => text.includes(secret))
    expect(found).toEqual([])
  })

  it('NO-02 the link of every event opens its page, also if the person has to sign in first', async () => {
    const admin = await visits.system.member('owner')
    await visits.system.client(admin.token).call(createApp, { alias: 'shop' })
    const { page } = await visits.visit('owner', '/', { person: admin, signsInAgain: true })
    await page.context().clearCookies()
    for (const [index, type] of SUBSCRIBABLE_TYPES.entries()) {
      const link = eventLink(exampleEvent(type, admin.org_id))
      await page.goto(`${visits.system.url}${link}`)
      if (index === 0) await page.getByRole('link', { name: /Google/ }).click()
      await page.locator('h1').waitFor()
      expect([type, new URL(page.url()).pathname]).toEqual([type, new URL(link, 'http://x').pathname])
      expect([type, await page.getByRole('heading', { name: 'No such page', exact: true }).count()]).toEqual([type, 0])
      // From here on the browser keeps scripts between two pages.
      if (index === 0) await page.context().unrouteAll()
    }
  })
})

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { listActivity } from '#contract/activity.ts'
import { listAgents } from '#contract/auth/agents.ts'
import { listTokens } from '#contract/auth/tokens.ts'
import { launchChromium } from '#test/browser/chromium.ts'
import { findSerious } from '#test/browser/console-visit.ts'
import { type FixedConsole, openFixedConsole } from '#test/browser/fixed-console.ts'
import { needs } from '#test/stores.ts'

const GONE = { status: 503, json: { code: 'UNAVAILABLE', title: 'Unavailable', detail: 'Try again.' } }
const SOURCE = {
  'data-sources.list': {
    items: [{ source_id: 'db_thing', connection_config: { embedding_configs: [{ label: 'articles' }] } }],
  },
}
const NEW_HERE = { 'activity.list': { items: [] }, 'agents.list': { items: [] } }

needs('chromium')('the console while its service is away', () => {
  let browser: Browser
  let visit: FixedConsole
  beforeAll(async () => {
    browser = await launchChromium()
    visit = await openFixedConsole(browser)
  })
  afterAll(async () => {
    await visit?.[Symbol.asyncDispose]()
    await browser?.close()
  })

  it('CO-06 reads pages of a service on this computer while the browser reports to be offline', async () => {
    const { page, open } = visit
    await open('/', {})
    await page.getByRole('link', { name: 'API tokens' }).waitFor()
    await page.evaluate(() => dispatchEvent(new Event('offline')))
    const read = page.waitForRequest((request) => request.url().includes(listTokens.path))
    await page.getByRole('link', { name: 'API tokens' }).click()
    await read
    await page.getByRole('table').waitFor()
  })

  it('CO-06 fills a part of a page that could not be read, without a press', async () => {
    const { page, open } = visit
    const answers: Record<string, object> = { ...NEW_HERE, [listAgents.name]: GONE }
    await page.clock.install()
    await open('/', answers)
    const guide = page.getByRole('region', { name: 'First steps' })
    await page.getByRole('heading', { name: 'Engines' }).waitFor()
    // Three reads, each later than the one before.
    for (let read = 0; read < 3; read++) await page.clock.fastForward(3_000)
    expect(await guide.count()).toBe(0)
    answers[listAgents.name] = { items: [] }
    await page.clock.fastForward(16_000)
    await guide.waitFor()
  })

  it('CO-15 a click while the service is stopped keeps the page and says so, until it is started again', async () => {
    const { page, open, stop, start } = visit
    await open('/mcp/sources/db_thing', SOURCE)
    await page.getByLabel('Question').fill('who books cars?')
    const isUnchanged = async () => {
      expect(new URL(page.url()).pathname).toBe('/mcp/sources/db_thing')
      expect(await page.getByLabel('Question').inputValue()).toBe('who books cars?')
    }
    await stop()
    // The script of this page was never loaded.
    await page.getByRole('link', { name: 'Apps', exact: true }).click()
    await page.getByText('So this page stays open').waitFor()
    await isUnchanged()
    // This link leaves the console, and the browser would replace it by an error page.
    await page.getByRole('link', { name: 'Guides' }).click()
    await page.keyboard.press('Escape')
    await isUnchanged()
    await page.keyboard.press('Control+k')
    await page.getByText('The search could not be loaded.').waitFor()
    await page.keyboard.press('Escape')
    expect(await findSerious(page)).toEqual([])
    await start()
    await page.getByText('svc does not answer.').waitFor({ state: 'detached' })
    await isUnchanged()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('inb')
    await page.getByRole('option', { name: /Inbox/ }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Apps', exact: true }).click()
    await page.getByRole('heading', { name: 'Apps', level: 1 }).waitFor()
  })

  it('CO-15 a page that is open says that the service does not answer, and is read again by itself', async () => {
    const { page, open, stop, start } = visit
    await open('/mcp/activity', {})
    await page.getByRole('table').first().waitFor()
    await stop()
    await page.getByText('What this page shows may be out of date.').waitFor()
    await page.getByRole('table').first().waitFor()
    const read = page.waitForRequest((request) => request.url().includes(listActivity.path))
    await start()
    await read
    await page.getByText('svc does not answer.').waitFor({ state: 'detached' })
  })
})

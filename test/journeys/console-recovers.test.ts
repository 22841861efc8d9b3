import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { listAgents } from '#contract/auth/agents.ts'
import { listTokens } from '#contract/auth/tokens.ts'
import { launchChromium } from '#test/browser/chromium.ts'
import { type FixedConsole, openFixedConsole } from '#test/browser/fixed-console.ts'
import { needs } from '#test/stores.ts'

const GONE = { status: 503, json: { code: 'UNAVAILABLE', title: 'Unavailable', detail: 'Try again.' } }
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
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchChromium, openContext } from '#test/browser/chromium.ts'
import { findSerious } from '#test/browser/console-visit.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'
import { buildGuides } from '../../scripts/build-guides.ts'
import { FILES } from '../../src/server/areas/guides/site/form.ts'

needs('chromium')('the guides in a browser', () => {
  let system: System
  let browser: Browser
  let folder: string
  beforeAll(async () => {
    system = await startSystem()
    browser = await launchChromium()
    folder = mkdtempSync(join(tmpdir(), 'svc-guides-'))
  })
  afterAll(async () => {
    await browser?.close()
    await system?.[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  type Screen = { width: number; colorScheme: 'light' | 'dark' }
  async function open(url: string, { width, colorScheme }: Screen) {
    const isPhone = width < 500
    const context = await openContext(browser, {
      viewport: { width, height: 900 },
      isMobile: isPhone,
      hasTouch: isPhone,
      colorScheme,
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const page = await context.newPage()
    const faults: string[] = []
    page.on('console', (message) => void (message.type() === 'error' && faults.push(message.text())))
    page.on('pageerror', ({ message }) => void faults.push(message))
    const hosts = new Set<string>()
    page.on('request', (request) => void hosts.add(new URL(request.url()).origin))
    await page.goto(url)
    return { page, faults, hosts, close: () => context.close() }
  }

  const widthOf = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth)
  const background = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor)

  it.each([
    { width: 1440, colorScheme: 'light' },
    { width: 1440, colorScheme: 'dark' },
    { width: 390, colorScheme: 'light' },
    { width: 390, colorScheme: 'dark' },
  ] as const)('OP-11 from the list by the search to a heading of a guide: %o', async (screen) => {
    const { page, faults, hosts, close } = await open(`${system.url}/guides`, screen)
    await page.getByRole('heading', { name: 'Guides', level: 1 }).waitFor()
    expect(await background(page)).toBe(screen.colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(22, 25, 31)')
    expect(await widthOf(page)).toBe(screen.width)

    await page.keyboard.press('/')
    await page.keyboard.type('mailed link')
    await page.getByText(/^\d+ found$/).waitFor()
    expect(await findSerious(page)).toEqual([])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${system.url}/guides/auth#by-a-mailed-link`)
    const heading = page.getByRole('heading', { name: 'By a mailed link' })
    await heading.waitFor()
    expect(await heading.evaluate((node) => Math.round(node.getBoundingClientRect().top))).toBeLessThan(150)

    await page.goto(`${system.url}/guides/data-sources`)
    if (screen.width === 390) await page.locator('summary').click()
    await page.getByRole('link', { name: '5. See who asked' }).first().click()
    await page.waitForURL(/#5-see-who-asked$/)
    expect([await findSerious(page), await widthOf(page)]).toEqual([[], screen.width])

    await page.goto(`${system.url}/guides/none`)
    await page.getByRole('link', { name: 'List all guides' }).click()
    await page.waitForURL(`${system.url}/guides`)
    expect(faults.filter((fault) => !fault.includes('404'))).toEqual([])
    expect([...hosts]).toEqual([system.url])
    await close()
  })

  it('OP-11 a command is copied, and the theme that was chosen in the console holds', async () => {
    const { page, faults, close } = await open(`${system.url}/guides/readme`, { width: 1440, colorScheme: 'light' })
    const block = page.locator('.code').filter({ hasText: 'npm ci && npm start' })
    await block.hover()
    await block.getByRole('button', { name: 'Copy' }).click()
    await block.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('npm ci && npm start')
    await page.evaluate(() => localStorage.setItem('svc-theme', 'dark'))
    await page.reload()
    expect(await background(page)).toBe('rgb(22, 25, 31)')
    expect(faults).toEqual([])
    await close()
  })

  it('OP-11 the pages of the build work in a folder without a server, with their search', async () => {
    await buildGuides(folder, FILES)
    const { page, faults, close } = await open(pathToFileURL(join(folder, 'index.html')).href, {
      width: 1440,
      colorScheme: 'light',
    })
    await page.getByLabel('Search the guides').fill('who asked')
    await page
      .getByRole('link', { name: /See who asked/ })
      .first()
      .click()
    await page.waitForURL(/data-sources\.html#5-see-who-asked$/)
    await page.getByRole('link', { name: 'Running svc' }).first().click()
    await page.getByRole('heading', { name: 'Running svc', level: 1 }).waitFor()
    expect(faults).toEqual([])
    await close()
  })
})

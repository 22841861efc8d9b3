import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { it, vi } from 'vitest'
import { CONSOLE_ADDRESSES } from '#contract/console.ts'
import { startConsoleVisits } from '#test/browser/console-visit.ts'
import { seed } from './seed.ts'

const folder = process.env.SVC_SCREENSHOTS ?? '/tmp/console-looks'
const SETTLED_MS = 2_500
const TABS = ['configuration', 'exposure', 'activity']

/** Replaces what stands for something of the organization. The tabs of a source are addresses of their own. */
function addressesOf(ids: Record<string, string>): string[] {
  return CONSOLE_ADDRESSES.flatMap((address) => {
    const named = address
      .replace('/mcp/sources/{id}', '/mcp/sources/db_handbook')
      .replace('{alias}', 'shop')
      .replace(/(\w+)\/\{id\}/, (_, kind: string) => `${kind}/${ids[kind]}`)
    return named.includes('{tab}') ? TABS.map((tab) => named.replace('{tab}', tab)) : [named]
  }).concat('/mcp/activity?type=data_sources', '/no/such/page')
}

vi.setConfig({ testTimeout: 0 })

it('saves every page at two widths and in two themes', async () => {
  mkdirSync(folder, { recursive: true })
  await using visits = await startConsoleVisits({ env: { SVC_ALLOW_PROCESS_DEPLOYS: 'true' } })
  const owner = await visits.system.member('owner')
  const addresses = addressesOf(await seed(visits.system, owner))
  for (const [isPhone, isDark] of [
    [false, false],
    [true, true],
    [false, true],
    [true, false],
  ] as const) {
    const look = `${isPhone ? 'phone' : 'desk'}-${isDark ? 'dark' : 'light'}`
    const { page } = await visits.visit('owner', '/', { person: owner, isPhone, isDark })
    for (const address of addresses) {
      await page.goto(`${visits.system.url}${address}`)
      await page.locator('h1').waitFor()
      await page.waitForLoadState('networkidle', { timeout: SETTLED_MS }).catch(() => {})
      const width = await page.evaluate(() => document.documentElement.scrollWidth)
      const name = address.replaceAll(/\w+_[0-9a-z]{20,}/g, 'id').replaceAll(/[^a-z0-9]+/gi, '-')
      await page.screenshot({ path: join(folder, `${look}${name}.png`), fullPage: false })
      if (width > page.viewportSize()!.width) console.log(`${look} ${address} is ${width} pixels wide`)
    }
    await page.context().close()
  }
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { launchChromium, openContext } from '#test/browser/chromium.ts'
import { needs } from '#test/stores.ts'

const SRC = join(import.meta.dirname, '..', 'src')
const STYLES = ['look/tokens.css', 'console/styles/base.css', 'console/styles/parts.css']
const STYLE = STYLES.map((file) => readFileSync(join(SRC, file), 'utf8')).join('\n')
const tableOf = (width: number) => `
  <div class="table-frame" style="width: 240px">
    <table style="width: ${width}px"><thead><tr><th>&nbsp;</th></tr></thead><tbody><tr><td>&nbsp;</td></tr></tbody></table>
  </div>`

needs('chromium')('the tables of the console', () => {
  it('CO-06 a table that is wider than its frame is shaded where it goes on, also in its head', async () => {
    const browser = await launchChromium()
    try {
      const page = await (await openContext(browser, { viewport: { width: 320, height: 400 } })).newPage()
      await page.setContent(`<style>${STYLE}</style><div class="here">${tableOf(480)}</div>${tableOf(200)}`)
      const wide = page.locator('.table-frame').first()
      const plain = await edges(page, 1)
      const atStart = await edges(page, 0)
      await wide.evaluate((frame) => frame.scrollTo(frame.scrollWidth, 0))
      const atEnd = await edges(page, 0)
      for (const part of ['head', 'row'] as const) {
        expect([part, atStart[part].left === plain[part].left, atStart[part].right === plain[part].right]).toEqual([
          part,
          true,
          false,
        ])
        expect([part, atEnd[part].left === plain[part].left, atEnd[part].right === plain[part].right]).toEqual([
          part,
          false,
          true,
        ])
      }
      if (process.env.SVC_TEST_SCREENSHOTS)
        await page.screenshot({ path: `${process.env.SVC_TEST_SCREENSHOTS}/wide-table.png` })
    } finally {
      await browser.close()
    }
  })
})

/** Pictures of the left and the right edge of the head and the row of a frame. Their cells are empty. */
async function edges(page: Page, index: number) {
  const { x, y, width } = (await page.locator('.table-frame').nth(index).boundingBox())!
  const strip = async (left: number, top: number) => {
    const png = await page.screenshot({ clip: { x: Math.round(left), y: Math.round(y) + top, width: 6, height: 8 } })
    return png.toString('base64')
  }
  const both = async (top: number) => ({ left: await strip(x + 2, top), right: await strip(x + width - 8, top) })
  return { head: await both(10), row: await both(46) }
}

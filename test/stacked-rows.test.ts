import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { launchChromium, openContext } from '#test/browser/chromium.ts'
import { needs } from '#test/stores.ts'

const SRC = join(import.meta.dirname, '..', 'src')
const STYLES = ['base', 'parts', 'tables', 'stacked'].map((name) => `console/styles/${name}.css`)
const STYLE = ['look/tokens.css', ...STYLES].map((file) => readFileSync(join(SRC, file), 'utf8')).join('\n')
const SUBJECT = 'Please add a page that lists every product with its price and its time of delivery per country'
const tableOf = (kind: string) => `
  <div class="table-frame ${kind}"><table>
    <thead><tr><th>Ticket</th><th>Kind</th><th>When</th><th>Acts</th></tr></thead>
    <tbody><tr>
      <td data-head="Ticket">${SUBJECT}</td>
      <td data-head="Kind" class="wide">webhook</td>
      <td data-head="When"><time>22 minutes ago</time></td>
      <td data-head="Actions"><button class="button small">Signing secret</button></td>
    </tr></tbody>
  </table></div>`

needs('chromium')('rows of tables on a phone', () => {
  it('CO-06 a row is never wider than the screen, and rows of a list have the height that the list counts with', async () => {
    const browser = await launchChromium()
    try {
      const page = await (await openContext(browser, { viewport: { width: 390, height: 844 } })).newPage()
      const kinds = ['stacked', 'long stacked', 'long stacked sentences']
      await page.setContent(`<style>${STYLE}</style>${kinds.map(tableOf).join('')}`)
      const seen = await page.locator('.table-frame').evaluateAll((frames) =>
        frames.map((frame) => {
          const [row, subject] = [frame.querySelector('tbody tr')!, frame.querySelector('td')!]
          const button = frame.querySelector('button')!.getBoundingClientRect()
          return {
            isCut: frame.scrollWidth > frame.clientWidth || button.right > frame.getBoundingClientRect().right,
            isSubjectAbove: subject.getBoundingClientRect().bottom <= button.top,
            rowPx: row.getBoundingClientRect().height,
          }
        }),
      )
      const whole = { isCut: false, isSubjectAbove: true }
      expect(seen).toEqual([
        { ...whole, rowPx: expect.any(Number) },
        { ...whole, rowPx: 60 },
        { ...whole, rowPx: 80 },
      ])
    } finally {
      await browser.close()
    }
  })
})

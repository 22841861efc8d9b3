import { type Browser, errors } from 'playwright-core'

export type FirstPage = {
  readonly paintMs: number
  /** Until the page has shown what it is for. */
  readonly shownMs: number
  /** Compressed bytes of HTML, scripts and styles that were there at the first paint. */
  readonly bytesAtPaint: number
  /** Compressed bytes of everything, by kind. */
  readonly bytes: Readonly<Record<'text' | 'font' | 'answers', number>>
}

/** A phone's connection. On loopback alone all bytes are there before anything is painted, whatever their number. */
const CONNECTION = { offline: false, latency: 60, downloadThroughput: 500_000, uploadThroughput: 500_000 }

/** Far more than any page takes, so that only one that never comes ends with an error. */
export const LIMIT_MS = 60_000
const MAX_TRIES = 3

/**
 * Opens a page with an empty cache. It has shown what it is for when `heading` is there. On a busy machine Chromium can
 * stall for good while it slows a connection down, so a page that does not come is opened once more.
 */
export async function openFirst(browser: Browser, url: string, heading: string): Promise<FirstPage> {
  for (let tries = 1; ; tries++) {
    try {
      return await openOnce(browser, url, heading)
    } catch (error) {
      if (!(error instanceof errors.TimeoutError) || tries === MAX_TRIES) throw error
      console.log(`${heading} did not come within ${LIMIT_MS / 1000} s and is opened again`)
    }
  }
}

async function openOnce(browser: Browser, url: string, heading: string): Promise<FirstPage> {
  await using stack = new AsyncDisposableStack()
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  stack.defer(() => context.close())
  context.setDefaultTimeout(LIMIT_MS)
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Network.enable')
  await devtools.send('Network.emulateNetworkConditions', CONNECTION)
  await page.goto(url)
  await page.getByRole('heading', { name: heading }).first().waitFor()
  const shownMs = await page.evaluate(() => performance.now())
  await page.waitForLoadState('networkidle')
  const measured = await page.evaluate(readMeasures)
  return { ...measured, shownMs }
}

/** Runs in the page. */
function readMeasures(): Omit<FirstPage, 'shownMs'> {
  const paintMs = performance.getEntriesByName('first-contentful-paint')[0]!.startTime
  const [html] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  const bytes = { text: html!.encodedBodySize, font: 0, answers: 0 }
  let bytesAtPaint = html!.encodedBodySize
  for (const entry of performance.getEntriesByType('resource') as PerformanceResourceTiming[]) {
    const kind = entry.initiatorType === 'fetch' ? 'answers' : entry.name.endsWith('.woff2') ? 'font' : 'text'
    bytes[kind] += entry.encodedBodySize
    if (kind === 'text' && entry.responseEnd <= paintMs) bytesAtPaint += entry.encodedBodySize
  }
  return { paintMs, bytesAtPaint, bytes }
}

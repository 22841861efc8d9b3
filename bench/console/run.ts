import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { buildPage } from '../../scripts/build-console.ts'
import { type Floor, requireFloors } from '../help/floors.ts'
import { answer } from './answers.ts'
import { type FirstPage, openFirst } from './first-paint.ts'
import { type Scrolled, scrollActivity } from './scroll.ts'
import { servePage } from './serve.ts'

/**
 * Measures Home and Activity in Chromium, compared to a bare React page that the same Vite built, from the same server.
 * Rounds alternate, so that a busy machine slows both. The answers of the service are fixed; nothing is random.
 */
const tenth = process.argv.includes('--tenth')
const ROUNDS = tenth ? 2 : 15
const ROWS = tenth ? 1_000 : 10_000
const LIMIT_RATIO = 2
/** HTML, scripts and styles of Home, as sent. */
const LIMIT_BYTES = 200 * 1024
const LIMIT_FRAME_MS = 50
/** Far below the number of rows, and above what fits the tallest screens. */
const MAX_MOUNTED_ROWS = 120

/** Without them Chromium asks its own services for updates while it is measured. */
const QUIET = ['--disable-background-networking', '--disable-component-update', '--disable-sync']
const CHROMIUM_ARGS = ['--no-sandbox', '--disable-gpu', ...QUIET]

const root = join(import.meta.dirname, '../..')
const executablePath = process.env.SVC_TEST_CHROMIUM ?? '/usr/bin/chromium-headless-shell'
if (!existsSync(executablePath)) {
  console.log('left out: needs a browser, set SVC_TEST_CHROMIUM')
  process.exit(tenth ? 0 : 1)
}
process.env.NODE_ENV = 'production'
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-console-'))
const stack = new AsyncDisposableStack()
stack.defer(() => rmSync(folder, { recursive: true, force: true }))
try {
  const bare = await serveBuilt('bare', join(import.meta.dirname, 'bare'))
  const ours = await serveBuilt('console', join(root, 'src', 'console'))
  const browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGS })
  stack.defer(() => browser.close())
  const pages = await measurePages(browser, bare.url, ours.url)
  printPages(pages)
  const scrolled = await scrollActivity(browser, ours.url, ROWS)
  printScrolled(scrolled)
  requireFloors(floorsOf(pages, scrolled))
} finally {
  await stack.disposeAsync()
}

async function serveBuilt(name: string, source: string) {
  const target = join(folder, name)
  await buildPage(source, target)
  return stack.use(await servePage(target, (url) => answer(url, ROWS)))
}

type Pages = { readonly bare: readonly FirstPage[]; readonly ours: readonly FirstPage[] }

async function measurePages(browser: Browser, bareUrl: string, ourUrl: string): Promise<Pages> {
  const bare: FirstPage[] = []
  const ours: FirstPage[] = []
  for (let round = -1; round < ROUNDS; round++) {
    const [plain, home] = [await openFirst(browser, bareUrl, 'Hello'), await openFirst(browser, ourUrl, 'Needs you')]
    if (round < 0) continue
    bare.push(plain)
    ours.push(home)
  }
  return { bare, ours }
}

function printPages({ bare, ours }: Pages): void {
  console.log(`${ROUNDS} rounds with an empty cache, medians; load ${loadavg()[0]!.toFixed(1)}`)
  for (const [name, pages] of [['bare React', bare] as const, ['console', ours] as const]) {
    const { text, font, answers } = pages[0]!.bytes
    console.log(
      `${name.padEnd(10)}  first contentful paint ${median(pages, 'paintMs').toFixed(0).padStart(5)} ms with ${median(pages, 'bytesAtPaint')} bytes   content ${median(pages, 'shownMs').toFixed(0).padStart(5)} ms   HTML, scripts and styles ${text} bytes   font ${font}   answers ${answers}`,
    )
  }
  const ratios = [ratio({ bare, ours }, 'paintMs'), ratio({ bare, ours }, 'bytesAtPaint'), allBytes({ bare, ours })]
  const [paint, atPaint, all] = ratios.map((value) => value.toFixed(2))
  console.log(
    `console to bare: paint ${paint} and bytes at it ${atPaint} (limit of each ${LIMIT_RATIO}); all bytes ${all}`,
  )
}

function printScrolled({ rows, frames, worstMs, delayMs, longFrames, mounted, longestTaskMs }: Scrolled): void {
  console.log(
    `${rows} rows of Activity in ${frames} frames: longest frame ${worstMs.toFixed(1)} ms (limit ${LIMIT_FRAME_MS}), ${longFrames} that the browser calls long; longest task ${longestTaskMs.toFixed(1)} ms of processor time; at most ${mounted} rows in the page`,
  )
  console.log(
    `the same work took up to ${delayMs.toFixed(1)} ms longer because of other processes: ${isQuiet(delayMs) ? 'frames are judged' : 'the machine is busy, so tasks are judged in place of frames'}`,
  )
}

/** Whether frames are as long as the page makes them. */
function isQuiet(delayMs: number): boolean {
  return delayMs <= 10
}

/** Times are judged in a full run only, because CI's machine is busy with other work. */
function floorsOf(pages: Pages, { longestTaskMs, worstMs, delayMs, mounted }: Scrolled): Floor[] {
  const always = [
    { name: 'bytes of all of Home', value: pages.ours[0]!.bytes.text, atMost: LIMIT_BYTES },
    { name: 'rows of Activity in the page', value: mounted, atMost: MAX_MOUNTED_ROWS },
  ]
  if (tenth) return always
  return [
    ...always,
    { name: 'first paint of Home to a bare page', value: ratio(pages, 'paintMs'), atMost: LIMIT_RATIO },
    { name: 'bytes at the first paint to a bare page', value: ratio(pages, 'bytesAtPaint'), atMost: LIMIT_RATIO },
    { name: 'milliseconds of the longest task while scrolling', value: longestTaskMs, atMost: LIMIT_FRAME_MS },
    ...(isQuiet(delayMs)
      ? [{ name: 'milliseconds of the longest frame while scrolling', value: worstMs, atMost: LIMIT_FRAME_MS }]
      : []),
  ]
}

type Measure = 'paintMs' | 'shownMs' | 'bytesAtPaint'

function ratio({ bare, ours }: Pages, measure: Measure): number {
  return median(ours, measure) / median(bare, measure)
}

function allBytes({ bare, ours }: Pages): number {
  return ours[0]!.bytes.text / bare[0]!.bytes.text
}

function median(pages: readonly FirstPage[], measure: Measure): number {
  return pages.map((page) => page[measure]).toSorted((a, b) => a - b)[Math.floor(pages.length / 2)]!
}

import type { Browser } from 'playwright-core'
import { LIMIT_MS } from './first-paint.ts'

const PIXELS_PER_FRAME = 360
/** Frames that do the same work each, to know how much other work on this machine lengthens a frame. */
const CONTROL_FRAMES = 120

export type Scrolled = {
  readonly rows: number
  readonly frames: number
  /** Longest time between two frames. */
  readonly worstMs: number
  /** How much longer than usual the same work took at worst: the time that other processes had the processor. */
  readonly delayMs: number
  /** Frames that the browser itself reports as long, which are those of more than 50 ms of work. */
  readonly longFrames: number
  readonly mounted: number
  /** Processor time of the longest task of the page's main thread, which other work on the machine does not lengthen. */
  readonly longestTaskMs: number
}

/** Scrolls the list of Activity to its end, ten rows each frame, and measures the time between frames. */
export async function scrollActivity(browser: Browser, url: string, rows: number): Promise<Scrolled> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  context.setDefaultTimeout(LIMIT_MS)
  const page = await context.newPage()
  await page.goto(`${url}/mcp/activity?type=data_sources`)
  await page.locator('.table-frame.long tbody tr').nth(5).waitFor()
  await browser.startTracing(page, { categories: ['toplevel', '__metadata'] })
  const scrolled = await page.evaluate(scrollToEnd, { rows, step: PIXELS_PER_FRAME, controlFrames: CONTROL_FRAMES })
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] }
  await context.close()
  return { ...scrolled, longestTaskMs: longestTask(trace.traceEvents) }
}

type TraceEvent = { name: string; ph: string; pid: number; tid: number; tdur?: number; args: { name?: string } }

/** Returns the most processor time of one task in the main threads of pages. */
function longestTask(events: readonly TraceEvent[]): number {
  const mainThreads = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  )
  const tasks = events.filter(({ pid, tid, tdur }) => tdur !== undefined && mainThreads.has(`${pid} ${tid}`))
  // Without a single task the trace is not understood, and the floor must be missed.
  return tasks.length === 0 ? Number.NaN : tasks.reduce((most, { tdur }) => Math.max(most, tdur!), 0) / 1_000
}

type Scrolling = { rows: number; step: number; controlFrames: number }

/** Runs in the page. */
async function scrollToEnd({ rows, step, controlFrames }: Scrolling): Promise<Omit<Scrolled, 'longestTaskMs'>> {
  const frame = document.querySelector('.table-frame.long')!
  const nextFrame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve))
  const lastRow = () => Number([...frame.querySelectorAll('[aria-rowindex]')].at(-1)?.getAttribute('aria-rowindex'))
  let mounted = 0
  let longFrames = 0
  const observer = new PerformanceObserver((list) => {
    longFrames += list.getEntries().length
  })
  const control: number[] = []
  for (let count = 0; count < controlFrames; count++) {
    await nextFrame()
    const begun = performance.now()
    for (let spun = 0; spun < 3_000_000; spun++) mounted = Math.imul(mounted + spun, 31)
    control.push(performance.now() - begun)
  }
  mounted = 0
  // The first ones are slower, because the loop is not compiled yet.
  const usual = control.slice(10).toSorted((one, other) => one - other)
  const delayMs = usual.at(-1)! - usual[Math.floor(usual.length / 2)]!
  observer.observe({ type: 'long-animation-frame' })
  const gaps: number[] = []
  for (let before = await nextFrame(); lastRow() <= rows; ) {
    frame.scrollTop += step
    const now = await nextFrame()
    gaps.push(now - before)
    before = now
    mounted = Math.max(mounted, frame.querySelectorAll('tbody tr').length)
  }
  longFrames += observer.takeRecords().length
  observer.disconnect()
  return { rows, frames: gaps.length, worstMs: Math.max(...gaps), delayMs, longFrames, mounted }
}

import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core'
import { stores } from '../stores.ts'

/**
 * Longest wait for one thing on a page. A busy machine is slow, so it is generous; without it a text that has changed
 * would end a journey only after minutes, and without the name of what was waited for.
 */
const WAIT_MS = 120_000

/** Starts a real browser that makes no requests of its own. Use only with `needs('chromium')`. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: stores.chromium!,
    timeout: 0,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

/** Opens windows with cookies of their own. A wait for something that does not come ends with an error that names it. */
export async function openContext(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(WAIT_MS)
  return context
}

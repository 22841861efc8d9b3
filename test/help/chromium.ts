import { type Browser, chromium } from 'playwright-core'
import { stores } from './stores.ts'

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

import { setTimeout as delay } from 'node:timers/promises'

/** Repeats a check until the signal aborts, with a pause after each. A check that throws is repeated too. */
export async function repeat(check: () => Promise<void>, pauseMs: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await check().catch(() => {})
    await delay(pauseMs, undefined, { ref: false, signal }).catch(() => {})
  }
}

import type { OnLine } from '../../deploys/target.ts'

const WINDOW_MS = 60_000
const MAX_REASONS = 100

/**
 * Writes refused connections to the log of the app: each reason once a minute, because a program tries again, and at
 * most 100 of them.
 */
export function refusalLog(onLine: OnLine, now: () => number = Date.now): (reason: string) => void {
  let reasons = new Set<string>()
  let since = now()
  return (reason) => {
    if (now() - since >= WINDOW_MS) {
      reasons = new Set()
      since = now()
    }
    if (reasons.has(reason) || reasons.size >= MAX_REASONS) return
    reasons.add(reason)
    onLine({ stream: 'system', text: `Outgoing connection refused: ${reason}.` })
  }
}

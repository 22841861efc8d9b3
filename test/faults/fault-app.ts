import { z } from 'zod'

const Line = z.strictObject({ at: z.string(), level: z.string().optional(), text: z.string() })
const Lines = z.strictObject({
  from: z.string(),
  to: z.string(),
  every: z.string(),
  level: z.string().optional(),
  texts: z.array(z.string()).min(1),
})
const Check = z.strictObject({ name: z.string(), every: z.string(), runs: z.string().regex(/^[pfe]+$/) })

const App = z.strictObject({
  deploys: z.array(z.string()).default([]),
  files: z.record(z.string(), z.string()).default({}),
  logs: z.array(z.union([Line, Lines])).default([]),
  checks: z.array(Check).default([]),
})
export type App = z.infer<typeof App>

export const FaultApp = z.strictObject({ fault: z.string(), twin: z.string(), faulty: App, healthy: App })

const UNITS: Record<string, number> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 }

/** Returns the milliseconds of a time such as `-1h30m` or `10m`. */
export function milliseconds(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)([dhms])/g)]
  const sum = parts.reduce((total, [, amount, unit]) => total + Number(amount) * UNITS[unit!]!, 0)
  return text.startsWith('-') ? -sum : sum
}

const VERDICTS: Record<string, string> = { p: 'pass', f: 'fail', e: 'error' }

/** Lists the runs of a check, newest first, and its state. */
export function runsOf({ every, runs }: App['checks'][number], now: number) {
  const step = milliseconds(every)
  const ofCheck = runs.split('').map((letter, index) => ({
    at: new Date(now - (runs.length - index) * step),
    verdict: VERDICTS[letter]!,
    detail: letter === 'f' ? 'answered 503' : null,
  }))
  return { runs: ofCheck.toReversed(), state: ofCheck.at(-1)!.verdict }
}

/** Lists the lines of an app by time. */
export function linesOf({ logs }: App, now: number): { at: Date; level?: string | undefined; text: string }[] {
  const lines = logs.flatMap((entry) => {
    if ('at' in entry) return [{ at: new Date(now + milliseconds(entry.at)), level: entry.level, text: entry.text }]
    const [from, to, every] = [milliseconds(entry.from), milliseconds(entry.to), milliseconds(entry.every)]
    return Array.from({ length: Math.ceil((to - from) / every) }, (_, n) => ({
      at: new Date(now + from + n * every),
      level: entry.level,
      text: entry.texts[n % entry.texts.length]!,
    }))
  })
  return lines.sort((a, b) => a.at.getTime() - b.at.getTime())
}

import { DAY, type Line } from './scenario.ts'

type Random = () => number

export function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)]!
}

export function integer(random: Random, from: number, to: number): number {
  return from + Math.floor(random() * (to - from + 1))
}

/** Evenly spread lines of ordinary work, the oldest first. */
export function spread(count: number, fromMinutesAgo: number, line: (i: number) => string): Line[] {
  return Array.from({ length: count }, (_, i) => ({
    minutesAgo: fromMinutesAgo - (i * fromMinutesAgo) / count,
    text: line(i),
  }))
}

/** Puts lines of several sources in the order of their times. Lines of one time keep their order. */
export function inOrder(...parts: readonly (readonly Line[])[]): Line[] {
  return parts.flat().toSorted((a, b) => b.minutesAgo - a.minutesAgo)
}

/** Several lines of one moment, as a stack trace is printed. */
export function together(minutesAgo: number, lines: readonly string[]): Line[] {
  return lines.map((text) => ({ minutesAgo, text }))
}

/** Lines of one moment on the standard error of an app that svc runs: they are errors unless they say otherwise. */
export function onStderr(minutesAgo: number, lines: readonly string[]): Line[] {
  return together(minutesAgo, lines).map((line) => ({ ...line, level: 'error' as const }))
}

/** Times of events within the past day that nothing schedules. */
export function atRandom(random: Random, count: number, within = DAY): number[] {
  return Array.from({ length: count }, () => random() * within).toSorted((a, b) => b - a)
}

const PATHS = ['/', '/orders', '/orders/1', '/products', '/products/7/reviews', '/basket', '/account'] as const

/** A line of an access log in plain text. */
export function access(random: Random): string {
  const status = random() < 0.03 ? 404 : random() < 0.1 ? 304 : 200
  return `GET ${pick(random, PATHS)} ${status} ${integer(random, 2, 80)}ms`
}

/** A line of a request in the format of pino. */
export function pinoAccess(random: Random): string {
  return pino(30, 'request completed', {
    req: { method: 'GET', url: pick(random, PATHS) },
    res: { statusCode: random() < 0.03 ? 404 : 200 },
    responseTime: integer(random, 2, 80),
  })
}

export function pino(level: 30 | 40 | 50, msg: string, fields: object = {}): string {
  return JSON.stringify({ level, pid: 17, hostname: 'app', ...fields, msg })
}

/** A line in the format of logfmt. */
export function logfmt(level: 'info' | 'warn' | 'error', msg: string, fields: Record<string, string | number>): string {
  const rest = Object.entries(fields).map(([key, value]) => `${key}=${value}`)
  return [`level=${level}`, `msg="${msg}"`, ...rest].join(' ')
}

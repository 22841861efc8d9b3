const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

const WEEK_SECONDS = 7 * 86_400

/** `5 minutes ago`; times that are more than a week away are a date. */
export function relativeTime(at: Date, now: Date, locale?: string): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1000)
  if (Math.abs(seconds) >= WEEK_SECONDS) {
    const year = at.getFullYear() === now.getFullYear() ? {} : ({ year: 'numeric' } as const)
    return at.toLocaleDateString(locale, { day: 'numeric', month: 'short', ...year })
  }
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? [undefined, 1]
  if (!unit) return seconds > 0 ? 'in a moment' : 'just now'
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(Math.trunc(seconds / size), unit)
}

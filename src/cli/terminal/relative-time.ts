const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
] as const
/** Times further away are shown as a date, because nobody counts in hundreds of days. */
const MAX_DAYS = 60

/** Writes a time as its distance from now: `just now`, `5m ago`, `in 3h`, `12d ago`, or a date if it is far away. */
export function relativeTime(iso: string, nowMs: number): string {
  const seconds = Math.round((Date.parse(iso) - nowMs) / 1000)
  const distance = Math.abs(seconds)
  if (!(distance < MAX_DAYS * 86_400)) return iso.slice(0, 10)
  const [unit, size] = UNITS.find(([, unitSeconds]) => distance >= unitSeconds) ?? ['', 0]
  if (size === 0) return seconds > 0 ? 'in under 1m' : 'just now'
  const text = `${Math.floor(distance / size)}${unit}`
  return seconds > 0 ? `in ${text}` : `${text} ago`
}

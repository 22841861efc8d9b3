/** Writes a calendar day, such as `Nov 16`, or the day of a time in the reader's zone. */
export function dayLabel(at: string): string {
  // A calendar day at noon is the same day in every zone.
  const date = new Date(/^\d{4}-\d{2}-\d{2}$/.test(at) ? `${at}T12:00:00` : at)
  return date.toLocaleDateString('en', { day: 'numeric', month: 'short' })
}

/** Writes the hour of a time with its day, such as `Mon 14:00`, so that 14:00 of two days differ. */
export function hourLabel(at: string): string {
  const date = new Date(at)
  const day = date.toLocaleDateString('en', { weekday: 'short' })
  return `${day} ${String(date.getHours()).padStart(2, '0')}:00`
}

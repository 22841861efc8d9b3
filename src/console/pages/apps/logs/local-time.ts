const MINUTE_MS = 60_000

/** The value of a `datetime-local` input for a time, in the reader's zone. */
export function toLocal(at: string | undefined): string {
  if (at === undefined) return ''
  const date = new Date(at)
  return new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16)
}

/** The time that a `datetime-local` input has; undefined if it is empty. */
export function fromLocal(value: string): string | undefined {
  const date = new Date(value)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

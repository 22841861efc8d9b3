import { dayLabel } from '../day-label.ts'

const DAY_SECONDS = 86_400

/**
 * Returns the buckets from the first one on in which there is something. The last one is left out while there is nothing
 * in it, because it has just begun.
 */
export function shownBuckets<B>(items: readonly B[], hasSomething: (bucket: B) => boolean): readonly B[] {
  const first = items.findIndex(hasSomething)
  if (first === -1) return []
  return items.slice(first, hasSomething(items.at(-1)!) ? undefined : -1)
}

/** Writes when a bucket begins, as the table has it and as short as below a chart. */
export function labelsOf(
  { at }: { readonly at: string },
  byDay: boolean,
): { readonly label: string; readonly tick: string } {
  const date = new Date(at)
  const time = `${String(date.getHours()).padStart(2, '0')}:${String(date.getMinutes()).padStart(2, '0')}`
  const day = dayLabel(at)
  return { label: `${day} ${time}`, tick: byDay ? day : time }
}

/** Whether the time has so many days that days tell its buckets apart. */
export function isLong(buckets: readonly unknown[], bucketSeconds: number): boolean {
  return buckets.length * bucketSeconds > 2 * DAY_SECONDS
}

import { exactTime, relativeTime } from './relative-time.ts'
import { useNow } from './use-now.ts'

/** A time as people say it. The exact time in the reader's zone and in UTC is shown on hover and to screen readers. */
export function Time({ at }: { at: string }) {
  const now = useNow()
  const date = new Date(at)
  return (
    <time dateTime={at} title={exactTime(date)}>
      {relativeTime(date, now)}
    </time>
  )
}

import { ServiceError } from '#contract/core/errors.ts'
import { MAX_SERIES_DAYS } from '#contract/core/series.ts'

const DAY_MS = 24 * 60 * 60_000

export type SeriesTime = { readonly from: Date; readonly until: Date }
type TimeFields = { readonly from?: string | undefined; readonly until?: string | undefined }

/** Returns the time of a series: the last day if none is given. Throws INVALID_REQUEST for one that is empty or too long. */
export function readSeriesTime({ from: first, until: last }: TimeFields, now: Date): SeriesTime {
  const until = last === undefined ? now : new Date(last)
  const from = first === undefined ? new Date(until.getTime() - DAY_MS) : new Date(first)
  const ms = until.getTime() - from.getTime()
  if (ms <= 0) throw refusal('until', 'must be later than from')
  if (ms > MAX_SERIES_DAYS * DAY_MS) throw refusal('from', `must be at most ${MAX_SERIES_DAYS} days before until`)
  return { from, until }
}

function refusal(path: string, message: string): ServiceError {
  return new ServiceError('INVALID_REQUEST', `${path}: ${message}`, { errors: [{ path, message }] })
}

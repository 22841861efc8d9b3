import { COUNTED_MS } from '../counts/app-counts.ts'
import { addBuckets, percentileOf } from '../counts/latency-buckets.ts'
import type { SeriesRow } from './store.ts'

const MAX_POINTS = 300

const COUNTED_SECONDS = COUNTED_MS / 1000
/** In parts of five minutes: 5, 10, 15 and 30 minutes, 1, 2, 3 and 6 hours. */
const WIDTHS = [1, 2, 3, 6, 12, 24, 36, 72]

type Time = { readonly from: Date; readonly until: Date }

/** Returns the shortest length of a bucket with which the time has at most 300. The first and the last may be cut. */
export function pointSeconds({ from, until }: Time): number {
  const parts = (until.getTime() - from.getTime()) / COUNTED_MS
  const width = WIDTHS.find((each) => parts / each <= MAX_POINTS - 1) ?? Math.ceil(parts / (MAX_POINTS - 1))
  return width * COUNTED_SECONDS
}

/** Returns the time from the beginning of its first bucket to the end of its last one. */
export function wholePoints({ from, until }: Time, seconds: number): Time {
  const ms = seconds * 1000
  return {
    from: new Date(Math.floor(from.getTime() / ms) * ms),
    until: new Date(Math.ceil(until.getTime() / ms) * ms),
  }
}

type Point = {
  readonly at: string
  readonly requests: number | null
  readonly failed: number | null
  readonly p50_ms: number | null
  readonly p95_ms: number | null
  readonly memory_bytes: number | null
}

/** Returns every bucket of a time of whole ones. Where nothing was counted, nothing is known. */
export function toPoints(rows: readonly SeriesRow[], { from, until }: Time, seconds: number): Point[] {
  const ms = seconds * 1000
  const placeOf = (at: Date) => Math.floor((at.getTime() - from.getTime()) / ms)
  const rowsOf = Map.groupBy(rows, ({ at }) => placeOf(at))
  return Array.from({ length: placeOf(until) }, (_, place) =>
    toPoint(new Date(from.getTime() + place * ms), rowsOf.get(place) ?? []),
  )
}

function toPoint(at: Date, rows: readonly SeriesRow[]): Point {
  const latencies: number[] = []
  for (const row of rows) addBuckets(latencies, row.latencies)
  const sum = (of: (row: SeriesRow) => number) =>
    rows.length === 0 ? null : rows.reduce((all, row) => all + of(row), 0)
  const memory = rows.flatMap(({ memory_bytes }) => memory_bytes ?? [])
  return {
    at: at.toISOString(),
    requests: sum(({ requests }) => requests),
    failed: sum(({ failed }) => failed),
    p50_ms: percentileOf(latencies, 0.5),
    p95_ms: percentileOf(latencies, 0.95),
    memory_bytes: memory.length === 0 ? null : Math.max(...memory),
  }
}

import { everyBucket } from '#edge/route/series-buckets.ts'
import type { SeriesTime } from '#edge/route/series-time.ts'
import { addBuckets, percentileOf } from '../counts/latency-buckets.ts'
import type { SeriesRow } from './store.ts'

type Point = {
  readonly at: string
  readonly requests: number | null
  readonly failed: number | null
  readonly p50_ms: number | null
  readonly p95_ms: number | null
  readonly memory_bytes: number | null
}

/** Returns every bucket of a time of whole ones. Where nothing was counted, nothing is known. */
export function toPoints(rows: readonly SeriesRow[], time: SeriesTime, seconds: number): Point[] {
  return everyBucket(rows, { ...time, seconds }, toPoint)
}

function toPoint(at: string, rows: readonly SeriesRow[]): Point {
  const latencies: number[] = []
  for (const row of rows) addBuckets(latencies, row.latencies)
  const sum = (of: (row: SeriesRow) => number) =>
    rows.length === 0 ? null : rows.reduce((all, row) => all + of(row), 0)
  const memory = rows.flatMap(({ memory_bytes }) => memory_bytes ?? [])
  return {
    at,
    requests: sum(({ requests }) => requests),
    failed: sum(({ failed }) => failed),
    p50_ms: percentileOf(latencies, 0.5),
    p95_ms: percentileOf(latencies, 0.95),
    memory_bytes: memory.length === 0 ? null : Math.max(...memory),
  }
}

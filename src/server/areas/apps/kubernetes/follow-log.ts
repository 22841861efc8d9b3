import { LINE_COST_BYTES, type LogRate } from '../logs/log-rate.ts'
import type { ClusterDeps } from './client.ts'
import { KubernetesError } from './kubernetes-error.ts'

/** How far a log was read: lines up to this time are known, of those at exactly this time so many. */
export type LogPosition = { time: string; count: number }

/** `at` is missing for the rest of a line that was cut. */
type Line = { readonly at?: Date; readonly text: string }
type Followed = {
  /** Path of the log in the API. */
  readonly path: string
  readonly container: string
  /** Changed as lines arrive. */
  readonly position: LogPosition
  /** Whether the container has ended, so that its log gets no more lines. */
  readonly hasEnded: () => boolean
  readonly onLine: (line: Line) => void
  readonly rate: LogRate
}

export const FROM_START: Readonly<LogPosition> = { time: '', count: 0 }
const RETRY_MS = 1_000

/** Returns the position after all lines of that millisecond, the precision in which times of lines are stored. */
export function positionAfter(time: Date): LogPosition {
  return { time: time.toISOString().replace('Z', '999999'), count: Number.MAX_SAFE_INTEGER }
}

/**
 * Hands on the lines of one run of a container until it has ended and its log is read, or the pod is gone. A stream that
 * breaks is opened again at the second of the last line (the API knows no finer time), and lines that were handed on
 * before are left out.
 */
export async function followLog(deps: ClusterDeps, followed: Followed, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    // Asked before reading: a log that was read to its end after the container had ended is complete.
    const isLast = followed.hasEnded()
    try {
      await readOnce(deps, followed, signal)
      if (isLast) return
    } catch (error) {
      if (signal.aborted || (error instanceof KubernetesError && error.status === 404)) return
      // 400: the container has not started yet, or its log was removed with it.
      if (error instanceof KubernetesError && error.status === 400 && isLast) return
      deps.onError(error)
      await deps.delay(RETRY_MS, signal)
    }
    if (!followed.hasEnded()) await deps.delay(RETRY_MS, signal)
  }
}

async function readOnce({ client, delay }: ClusterDeps, followed: Followed, signal: AbortSignal): Promise<void> {
  const { path, container, position, onLine, rate } = followed
  const since = position.time === '' ? {} : { sinceTime: `${position.time.slice(0, 19)}Z` }
  const query = { container, follow: 'true', timestamps: 'true', ...since }
  const isNew = newLines(position)
  let isNewLine = true
  for await (const { text: line, isRest } of client.log(path, query, signal)) {
    // The rest of a long line belongs to its start. An app chooses its bytes, so that no time in it counts.
    const [, time, text] = isRest ? [] : (TIMED_LINE.exec(line) ?? [])
    if (!isRest) isNewLine = time === undefined || isNew(toNanoseconds(time))
    if (isNewLine) onLine(time === undefined ? { text: line } : { at: new Date(time), text: text! })
    const pauseMs = rate(Buffer.byteLength(line) + LINE_COST_BYTES)
    if (pauseMs > 0) await delay(pauseMs, signal)
  }
}

/** The kubelet writes `2026-01-02T03:04:05.123456789Z text`, with fewer digits where the last are zeros. */
const TIMED_LINE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z) ?(.*)$/s

/** Brings times into a form whose order is that of texts: nine digits of the second, without Z. */
function toNanoseconds(time: string): string {
  const [seconds = '', digits = ''] = time.slice(0, -1).split('.')
  return `${seconds}.${digits.padEnd(9, '0')}`
}

/** Creates the check whether a line of a stream that began again is new. It moves the position. */
function newLines(position: LogPosition): (time: string) => boolean {
  const startPosition = { ...position }
  let repeated = 0
  return (time) => {
    if (time < startPosition.time) return false
    if (time === startPosition.time && repeated < startPosition.count) {
      repeated += 1
      return false
    }
    position.count = time === position.time ? position.count + 1 : 1
    position.time = time
    return true
  }
}

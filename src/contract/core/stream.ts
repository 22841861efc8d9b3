import { z } from 'zod'
import type { Problem } from './errors.ts'

/** Seconds without a record after which the server sends a heartbeat: an empty NDJSON line or an SSE comment. */
export const HEARTBEAT_SECONDS = 15
/** Seconds without a byte after which a client treats the connection as dead. Four heartbeats fit in. */
export const MAX_SILENCE_SECONDS = 60

/** Ids of records travel in a header and in SSE `id:` lines, so they are visible ASCII without spaces. */
export const RECORD_ID = /^[\x21-\x7e]{1,200}$/

export const LAST_ID_DESCRIPTION =
  'Start after the record with this id. `Last-Event-ID` says the same and takes precedence.'

/** Seconds between two checks of whether the caller of a silent stream may still read it. */
export const RECHECK_SECONDS = 30

/** The input `last_id` of a resumable stream: the stream starts after the record with this id. */
export const LastId = z.string().regex(RECORD_ID, 'must be the id of a record').optional().describe(LAST_ID_DESCRIPTION)

/** `done`: the source has no more records. `shutdown`: the server process stops; reconnect and resume. */
export type EndReason = 'done' | 'shutdown'

/** The last record of a stream that a server process ended because it stops. */
type EndRecord = { end: { reason: EndReason } }
/** The last record of a stream that failed after its status was sent. */
type ProblemRecord = { problem: Problem }

/** Top-level keys that no event may have, because they mark the last record of a stream. */
export const RESERVED_KEYS = ['end', 'problem'] as const

export function isEndRecord(record: unknown): record is EndRecord {
  return typeof record === 'object' && record !== null && 'end' in record
}

export function isProblemRecord(record: unknown): record is ProblemRecord {
  return typeof record === 'object' && record !== null && 'problem' in record
}

/** Returns the id of an event of a resumable stream, or undefined if this event has none. */
export function recordIdOf(event: unknown): string | undefined {
  const id = typeof event === 'object' && event !== null && 'id' in event ? event.id : undefined
  return typeof id === 'string' ? id : undefined
}

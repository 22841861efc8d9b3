import { readStoredEvent } from '#contract/core/events.ts'
import type { MatchedEvent } from './notification.ts'

export type EventRow = { id: string; org_id: string; type: string; body: unknown; occurred_at: Date }

/** Undefined where only a newer release can read it. */
export function readEvent(row: EventRow): MatchedEvent | undefined {
  const event = readStoredEvent(row)
  return event && { ...event, id: row.id }
}

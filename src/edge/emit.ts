import type { EventType } from '#contract/core/events.ts'
import type { Tx } from '#lib/db/db.ts'
import { type OutboxEvent, emit as write } from '#lib/work/outbox.ts'

/** Tells of a change in its own transaction; only types the contract knows can be told. */
export function emit(tx: Tx, event: OutboxEvent<EventType>): Promise<string> {
  return write(tx, event)
}

import { type EventOf, type EventType, parseEventBody } from '#contract/core/events.ts'
import type { Tx } from '#lib/db/db.ts'
import { writeEvent } from '#lib/work/outbox.ts'

/**
 * Writes an event to the outbox in the transaction of the change that it reports, and returns its id. Throws when the
 * body does not fit the type, which also rolls the change back: only a bug in the producer can cause that.
 */
export function emit<T extends EventType>(tx: Tx, event: EventOf<T>): Promise<string> {
  const { type, org_id, occurred_at } = event
  return writeEvent(tx, { type, org_id, occurred_at, body: parseEventBody(event) })
}

import type { Tx } from '../db/db.ts'
import { sql } from '../db/sql.ts'
import { newId } from '../ids.ts'

/** `type` is one of the contract's; `body` is what the notification part needs to tell it, without secrets. */
export type OutboxEvent<Type extends string = string> = {
  type: Type
  org_id: string
  occurred_at: Date
  body: Record<string, unknown>
}

export const OUTBOX_CHANNEL = 'svc_outbox'

/** Tells of a change in the change's own transaction: both happen or neither. */
export async function emit<Type extends string>(tx: Tx, event: OutboxEvent<Type>): Promise<string> {
  const id = newId('evt')
  await tx.query(sql`
    insert into svc.outbox (id, org_id, type, body, occurred_at)
    values (${id}, ${event.org_id}, ${event.type}, ${JSON.stringify(event.body)}, ${event.occurred_at})`)
  await tx.query(sql`select pg_notify(${OUTBOX_CHANNEL}, '')`)
  return id
}

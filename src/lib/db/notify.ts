import type { Querier } from './db.ts'
import { sql } from './sql.ts'

/** Notifies all who listen to the channel, in a transaction when it is committed. */
export async function notify(db: Querier, channel: string, payload = ''): Promise<void> {
  await db.query(sql`select pg_notify(${channel}, ${payload})`)
}

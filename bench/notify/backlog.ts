import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { claimDeliveries } from '../../src/server/areas/notifications/deliver/claim.ts'
import { finishDeliveries } from '../../src/server/areas/notifications/deliver/finish.ts'
import { openDatabase } from './system.ts'

const DESTINATIONS = 2_000
const FEW_PER_DESTINATION = 20
const CLAIMED_AT_ONCE = 48
const LEASE_SECONDS = 60

export type Backlog = AsyncDisposable & { few: Db; many: Db; rows: number }

/** Two databases on one server: one with few notifications that are ready, one with `rows` of them. */
export async function makeBacklogs(server: string, rows: number): Promise<Backlog> {
  const stack = new AsyncDisposableStack()
  const few = stack.use((await openDatabase(server, 'backlog_few')).db)
  const many = stack.use((await openDatabase(server, 'backlog_many')).db)
  await fill(few, FEW_PER_DESTINATION)
  await fill(many, Math.ceil(rows / DESTINATIONS))
  return { few, many, rows, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

async function fill(db: Db, perDestination: number): Promise<void> {
  await db.query(sql`
    insert into notifications.notifications (id, event_id, org_id, destination_key, kind, created_at)
    select 'ntf_' || lpad(n::text, 26, '0'), 'evt_' || n, 'org_' || n % ${DESTINATIONS}, 'webhook:' || n % ${DESTINATIONS},
      'webhook', clock_timestamp()
    from generate_series(1, ${DESTINATIONS * perDestination}::int) as n`)
  await db.query(sql`
    insert into notifications.destinations (key, org_id, kind, max_in_flight, max_per_message, first_at)
    select 'webhook:' || n, 'org_' || n, 'webhook', 4, 1, clock_timestamp()
    from generate_series(0, ${DESTINATIONS - 1}::int) as n`)
  for (const table of ['notifications', 'destinations', 'deliveries', 'attempts'])
    await db.query({ text: `vacuum analyze notifications.${table}`, values: [], name: '' })
}

/** Milliseconds of one claim of 48 deliveries. Each is ended before the next, as a worker does. */
export async function measureClaim(db: Db): Promise<number> {
  const started = performance.now()
  const { deliveries } = await claimDeliveries(db, 'first', CLAIMED_AT_ONCE, LEASE_SECONDS)
  const took = performance.now() - started
  if (deliveries.length !== CLAIMED_AT_ONCE) throw new Error(`claimed ${deliveries.length} deliveries`)
  await finishDeliveries(
    db,
    deliveries.map((delivery) => ({ delivery, outcome: { type: 'sent' }, status: 200 })),
    Math.random,
  )
  return took
}

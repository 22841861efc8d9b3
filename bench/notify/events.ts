import { createHash } from 'node:crypto'
import { newId } from '#edge/ids.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { OUTBOX_CHANNEL } from '#lib/work/outbox.ts'
import { insertChannel } from '../../src/server/areas/notifications/channels/store.ts'
import { addSubscription } from '../../src/server/areas/notifications/subscriptions/store.ts'

/** Adds organizations with one webhook each, subscribed to failed pipelines. */
export async function addOrganizations(
  db: Db,
  key: string,
  { count, perMessage }: { count: number; perMessage: number },
): Promise<string[]> {
  const sealer = createSealer([createHash('sha256').update(key).digest('hex')])
  const orgs = Array.from({ length: count }, () => newId('org'))
  await db.tx(async (tx) => {
    for (const org_id of orgs) {
      const channel = { org_id, kind: 'webhook', label: 'sink', settings: { per_message: perMessage } } as const
      const { id } = await insertChannel(tx, sealer, { ...channel, secret: `https://hooks.example.com/${org_id}` })
      const subscription = { org_id, owner: 'organization', channel_id: id, timing: 'immediately' } as const
      await addSubscription(tx, sealer, { ...subscription, pattern: 'pipeline.run.failed' })
    }
  })
  return orgs
}

/**
 * Writes events as `emit` does, many in one statement because the writer shares the measured processors. `alias` names
 * the app of each event.
 */
export async function emitMany(
  db: Db,
  orgs: readonly string[],
  count: number,
  alias: (i: number) => string = (i) => `e${i}`,
): Promise<void> {
  const pipeline = { id: newId('pl'), name: 'Nightly' }
  const appId = newId('app')
  const rows = Array.from({ length: count }, (_, i) => {
    const app = { id: appId, alias: alias(i), name: 'Shop' }
    const body = { status: 'failed', actor_id: null, app, pipeline, run_id: null }
    return { id: newId('evt'), org_id: orgs[i % orgs.length]!, body }
  })
  await db.tx(async (tx) => {
    await tx.query(sql`
      insert into svc.outbox (id, org_id, type, body, occurred_at)
      select id, org_id, 'pipeline.run.failed', body, clock_timestamp()
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as event (id text, org_id text, body jsonb)`)
    await tx.query(sql`select pg_notify(${OUTBOX_CHANNEL}, '')`)
  })
}

/** Resolves when every event is matched, which makes its notifications ready to be sent. */
export async function untilMatched(db: Db): Promise<void> {
  for (;;) {
    const [row] = await db.query<{ count: number }>(sql`
      select (select count(*) from (select from svc.outbox limit 1) as waiting)::int
        + (select count(*) from (select from notifications.events where matched_at is null limit 1) as unmatched)::int
        as count`)
    if (row!.count === 0) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

export async function countStates(db: Db): Promise<Record<string, number>> {
  const rows = await db.query<{ state: string; count: number }>(sql`
    select state, count(*)::int as count from notifications.deliveries group by state order by state`)
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

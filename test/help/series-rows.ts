import { newId } from '#edge/ids.ts'
import type { Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

/** Writes a run of a check that ended at a time, as the worker does. */
export async function ranCheck(db: Querier, check: string, run: { at: number; verdict: string; ms: number }) {
  const [started, ended] = [new Date(run.at - run.ms), new Date(run.at)]
  await db.query(sql`
    insert into checks.runs (id, check_id, org_id, app_id, trigger, state, created_at, started_at, ended_at, verdict)
    select ${newId('ckr', run.at)}, id, org_id, app_id, 'schedule', 'ended', ${started}, ${started}, ${ended}, ${run.verdict}
    from checks.checks where id = ${check}`)
}

export async function addPipeline(db: Querier, alias: string, name: string): Promise<string> {
  const id = newId('pl')
  await db.query(sql`
    insert into pipelines.pipelines
      (id, org_id, app_id, name, description, timezone, concurrency, timeout_seconds, created_at)
    select ${id}, org_id, id, ${name}, '', 'UTC', 'queue', 600, created_at from apps.apps where alias = ${alias}`)
  return id
}

/** Writes a run by hand that was asked for at a time. Without `ms` it never began. */
export async function ranPipeline(db: Querier, pipeline: string, run: { at: number; state: string; ms?: number }) {
  const [created, ended] = [new Date(run.at), new Date(run.at + (run.ms ?? 0))]
  await db.query(sql`
    insert into pipelines.runs (id, pipeline_id, trigger, state, created_at, started_at, ended_at)
    values (${newId('plr', run.at)}, ${pipeline}, 'manual', ${run.state}, ${created},
            ${run.ms === undefined ? null : created}, ${ended})`)
}

type Delivered = { kind?: string; state?: string; attempt?: number; at?: Date }

/** Writes an entry of the ledger, of the kind `none` without a message. */
export async function addDelivery(db: Querier, orgId: string, entry: Delivered): Promise<void> {
  const { kind = 'email', state = 'sent', attempt = 1, at = new Date() } = entry
  const isForNobody = kind === 'none'
  const [event, delivery] = [newId('evt'), isForNobody ? null : newId('dlv')]
  await db.query(sql`
    insert into notifications.events (id, org_id, type, body, occurred_at, received_at, matched_at)
    values (${event}, ${orgId}, 'notification.test', '{}', ${at}, ${at}, ${at})`)
  if (delivery !== null)
    await db.query(sql`
      insert into notifications.deliveries (id, org_id, destination_key, kind, state, attempt, created_at)
      values (${delivery}, ${orgId}, 'none', ${kind}, ${state}, ${attempt}, ${at})`)
  await db.query(sql`
    insert into notifications.notifications
      (id, event_id, org_id, destination_key, kind, delivery_id, dropped_reason, created_at)
    values (${newId('ntf', at.getTime())}, ${event}, ${orgId}, 'none', ${kind}, ${delivery},
            ${isForNobody ? 'no_recipient' : null}, ${at})`)
}

type Asker = { readonly org_id: string; readonly user_id: string }

export async function addQuestion(
  db: Querier,
  { org_id, user_id }: Asker,
  { target, status, at = new Date() }: { target: string; status: number; at?: Date },
): Promise<void> {
  await db.query(sql`
    insert into activity.records
      (id, org_id, type, source, target, principal_kind, principal_id, user_id, asked_at, counted, key_id, digest,
       question_bytes, status, duration_ms, answer_bytes)
    values (${newId('act', at.getTime())}, ${org_id}, 'data_source', 'mcp', ${target}, 'user', ${user_id}, ${user_id},
            ${at}, true, 'key', ${Buffer.alloc(16)}, 1, ${status}, 40, 900)`)
}

type Spending = { spender: 'check' | 'maintenance'; reference: string; tokens: number; daysAgo?: number }

/** Books tokens of the pool on a day in UTC. */
export async function addSpending(db: Querier, orgId: string, spending: Spending): Promise<void> {
  const { spender, reference, tokens, daysAgo = 0 } = spending
  const day = new Date(Date.now() - daysAgo * 24 * 3_600_000).toISOString().slice(0, 10)
  await db.query(sql`
    insert into ai.agent_pool_days (org_id, day, tokens) values (${orgId}, ${day}, ${tokens})
    on conflict (org_id, day) do update set tokens = agent_pool_days.tokens + excluded.tokens`)
  await db.query(sql`
    insert into ai.agent_reservations (org_id, day, spender, reference, tokens, booked, expires_at)
    values (${orgId}, ${day}, ${spender}, ${reference}, ${tokens}, ${tokens}, now())`)
}

import { randomUUID } from 'node:crypto'
import type { Change } from '#lib/db/change-watch.ts'
import type { Db, Querier } from '#lib/db/db.ts'
import { type Sql, sql } from '#lib/db/sql.ts'
import { holderIsDead } from '#lib/work/lease.ts'

type StoredAnswer = {
  requestDigest: Buffer
  createdAt: Date
  /** True if the outcome is unknown: the first request failed, or its process died, and it may have changed something. */
  isOver: boolean
  answer: { status: number; body: string } | undefined
}
export type KeyOf = { caller: string; operation: string; key: string }

/** The right of one request to run. Only the claim that holds the key can mark, answer or end it. */
export type Claim = KeyOf & { holder: string }

/** Returns a claim for the first request with this key, which then runs; undefined for later ones (see `readAnswer`). */
export async function claimKey(db: Db, of: KeyOf, requestDigest: Buffer, now: Date): Promise<Claim | undefined> {
  const holder = newHolder(db)
  const rows = await db.query(sql`
    insert into svc.idempotency (caller, operation, key, request_digest, holder, created_at)
    values (${of.caller}, ${of.operation}, ${of.key}, ${requestDigest}, ${holder}, ${now})
    on conflict do nothing
    returning key`)
  return rows.length === 1 ? { ...of, holder } : undefined
}

/** Returns a new claim if the process of the first request died before it changed anything. */
export async function takeOverKey(db: Db, of: KeyOf, now: Date): Promise<Claim | undefined> {
  const holder = newHolder(db)
  const rows = await db.query(sql`
    update svc.idempotency as held set holder = ${holder}, created_at = ${now}
    where caller = ${of.caller} and operation = ${of.operation} and key = ${of.key}
      and status is null and not changed and not is_over and held.holder is not null and ${holderIsDead(db)}
    returning key`)
  return rows.length === 1 ? { ...of, holder } : undefined
}

function newHolder({ instance }: Db): string {
  return `${instance}/${randomUUID()}`
}

export async function readAnswer(db: Db, of: KeyOf): Promise<StoredAnswer | undefined> {
  type Row = { request_digest: Buffer; created_at: Date; is_over: boolean; status: number | null; body: string | null }
  const [row] = await db.query<Row>(sql`
    select request_digest, created_at, status, body,
      is_over or (status is null and changed and held.holder is not null and ${holderIsDead(db)}) as is_over
    from svc.idempotency as held
    where caller = ${of.caller} and operation = ${of.operation} and key = ${of.key}`)
  if (!row) return undefined
  const answer = row.status === null || row.body === null ? undefined : { status: row.status, body: row.body }
  return { requestDigest: row.request_digest, createdAt: row.created_at, isOver: row.is_over, answer }
}

export async function keepAnswer(db: Db, claim: Claim, answer: { status: number; body: string }): Promise<void> {
  await db.query(sql`
    update svc.idempotency set status = ${answer.status}, body = ${answer.body} where ${isHeldBy(claim)}`)
}

/** Notes that the request changes something. Returns false if another request took the key over. */
export async function markChanged(on: Querier, claim: Claim): Promise<boolean> {
  const rows = await on.query(sql`update svc.idempotency set changed = true where ${isHeldBy(claim)} returning key`)
  return rows.length === 1
}

/**
 * Ends a key whose request failed. It is free again if nothing was changed; or else repetitions learn that the outcome is
 * unknown. A transaction that is still being committed holds the row, so its mark is waited for.
 */
export async function endKey(db: Db, claim: Claim, change: Change): Promise<void> {
  if (change === 'nothing') {
    await db.query(sql`delete from svc.idempotency where ${isHeldBy(claim)}`)
    return
  }
  // A mark that was rolled back with its transaction is not in the row: nothing was changed, and the key is free.
  if (change === 'marked') await db.query(sql`delete from svc.idempotency where ${isHeldBy(claim)} and not changed`)
  await db.query(sql`update svc.idempotency set is_over = true where ${isHeldBy(claim)}`)
}

function isHeldBy({ caller, operation, key, holder }: Claim): Sql {
  return sql`caller = ${caller} and operation = ${operation} and key = ${key} and holder = ${holder} and status is null`
}

export async function dropKeysBefore(db: Db, before: Date): Promise<void> {
  await db.query(sql`delete from svc.idempotency where created_at < ${before}`)
}

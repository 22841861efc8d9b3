import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

type StoredAnswer = {
  requestDigest: Buffer
  createdAt: Date
  answer: { status: number; body: string } | undefined
}
export type KeyOf = { caller: string; operation: string; key: string }

/** Returns true for the first request with this key, which then runs. Later ones get the answer of the first. */
export async function claimKey(db: Db, of: KeyOf, requestDigest: Buffer, now: Date): Promise<boolean> {
  const rows = await db.query(sql`
    insert into svc.idempotency (caller, operation, key, request_digest, created_at)
    values (${of.caller}, ${of.operation}, ${of.key}, ${requestDigest}, ${now})
    on conflict do nothing
    returning key`)
  return rows.length === 1
}

export async function readAnswer(db: Db, of: KeyOf): Promise<StoredAnswer | undefined> {
  type Row = { request_digest: Buffer; created_at: Date; status: number | null; body: string | null }
  const [row] = await db.query<Row>(sql`
    select request_digest, created_at, status, body from svc.idempotency
    where caller = ${of.caller} and operation = ${of.operation} and key = ${of.key}`)
  if (!row) return undefined
  const answer = row.status === null || row.body === null ? undefined : { status: row.status, body: row.body }
  return { requestDigest: row.request_digest, createdAt: row.created_at, answer }
}

export async function keepAnswer(db: Db, of: KeyOf, answer: { status: number; body: string }): Promise<void> {
  await db.query(sql`
    update svc.idempotency set status = ${answer.status}, body = ${answer.body}
    where caller = ${of.caller} and operation = ${of.operation} and key = ${of.key}`)
}

/** Releases a key whose request was refused, because a refused request changed nothing and may be repeated. */
export async function freeKey(db: Db, of: KeyOf): Promise<void> {
  await db.query(sql`
    delete from svc.idempotency
    where caller = ${of.caller} and operation = ${of.operation} and key = ${of.key} and status is null`)
}

export async function dropKeysBefore(db: Db, before: Date): Promise<void> {
  await db.query(sql`delete from svc.idempotency where created_at < ${before}`)
}

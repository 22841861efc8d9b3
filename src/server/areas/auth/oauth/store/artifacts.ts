import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

export type ArtifactKind = 'AuthorizationCode' | 'RefreshToken' | 'Interaction'
type ArtifactRow = { payload: Record<string, unknown>; consumed_at: Date | null }
type Key = { kind: ArtifactKind; hash: Buffer }
type Content = { grant_id: string | null; payload: Record<string, unknown>; expires_at: Date }

/** Inserts or updates an artifact and deletes the expired ones. */
export async function upsertArtifact(db: Querier, { kind, hash }: Key, row: Content, now: Date): Promise<void> {
  await db.query(sql`
    with gone as (delete from auth.oauth_artifacts where expires_at < ${now})
    insert into auth.oauth_artifacts (kind, hash, grant_id, payload, expires_at)
    values (${kind}, ${hash}, ${row.grant_id}, ${JSON.stringify(row.payload)}, ${row.expires_at})
    on conflict (kind, hash) do update set payload = excluded.payload, expires_at = excluded.expires_at`)
}

/**
 * Inserts an artifact in a transaction that also ends grants. It deletes no expired ones: whoever ends a grant locks the
 * grant first and its artifacts then, and the other way round the two would wait for each other.
 */
export async function insertArtifact(tx: Tx, { kind, hash }: Key, row: Content): Promise<void> {
  await tx.query(sql`
    insert into auth.oauth_artifacts (kind, hash, grant_id, payload, expires_at)
    values (${kind}, ${hash}, ${row.grant_id}, ${JSON.stringify(row.payload)}, ${row.expires_at})`)
}

/**
 * Consumes the artifact `former` and inserts its successor in one statement, because a fault between the two would end
 * the user's grant. Returns false if `former` was consumed before.
 */
export async function replaceArtifact(
  db: Querier,
  { kind, hash, former }: Key & { former: Buffer },
  row: Content,
  now: Date,
): Promise<boolean> {
  const rows = await db.query(sql`
    with consumed as (
      update auth.oauth_artifacts set consumed_at = ${now}, is_answered = false
      where kind = ${kind} and hash = ${former} and consumed_at is null
      returning 1)
    insert into auth.oauth_artifacts (kind, hash, grant_id, payload, expires_at)
    select ${kind}, ${hash}, ${row.grant_id}, ${JSON.stringify(row.payload)}::jsonb, ${row.expires_at}::timestamptz
    from consumed
    returning 1`)
  return rows.length === 1
}

/** Remembers that the answer of the request that consumed the artifact left the process. Counts from then. */
export async function markAnswered(db: Querier, { kind, hash }: Key, now: Date): Promise<void> {
  await db.query(sql`
    update auth.oauth_artifacts set is_answered = true, consumed_at = ${now}
    where kind = ${kind} and hash = ${hash} and not is_answered`)
}

type Repetition = {
  readonly kind: ArtifactKind
  readonly former: Buffer
  readonly successor: Buffer
  /** True if this process sent the answer after `since` and has not stored that yet. */
  readonly isSent: boolean
}

/**
 * Whether the successor of the artifact `former` was not consumed yet, and `former` was consumed after `since` or by a
 * request that was never answered.
 */
export async function hasUnusedSuccessor(
  db: Querier,
  { kind, former, successor, isSent }: Repetition,
  since: Date,
  now: Date,
): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 from auth.oauth_artifacts f
    join auth.oauth_artifacts s on s.kind = f.kind and s.hash = ${successor} and s.grant_id = f.grant_id
    where f.kind = ${kind} and f.hash = ${former} and f.consumed_at is not null
      and (${isSent} or f.consumed_at > ${since} or not f.is_answered)
      and s.consumed_at is null and s.expires_at > ${now}`)
  return rows.length === 1
}

export async function findArtifact(db: Querier, { kind, hash }: Key, now: Date): Promise<ArtifactRow | undefined> {
  const [row] = await db.query<ArtifactRow>(sql`
    select payload, consumed_at from auth.oauth_artifacts
    where kind = ${kind} and hash = ${hash} and expires_at > ${now}`)
  return row
}

/** Returns true for the first caller only, also of concurrent ones. */
export async function consumeArtifact(tx: Tx, { kind, hash }: Key, now: Date): Promise<boolean> {
  const rows = await tx.query(sql`
    update auth.oauth_artifacts set consumed_at = ${now}
    where kind = ${kind} and hash = ${hash} and consumed_at is null
    returning 1`)
  return rows.length === 1
}

/** Returns false if there was none, because another request deleted it first. */
export async function deleteArtifact(db: Querier, { kind, hash }: Key): Promise<boolean> {
  const rows = await db.query(sql`
    delete from auth.oauth_artifacts where kind = ${kind} and hash = ${hash} returning 1`)
  return rows.length === 1
}

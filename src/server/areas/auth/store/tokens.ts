import type { Role } from '#contract/core/roles.ts'
import type { PageQuery } from '#edge/route/paging.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

type TokenRow = {
  id: string
  org_id: string
  user_id: string
  role: Role
  expires_at: Date | null
  last_used_at: Date | null
}

type NewToken = {
  id: string
  org_id: string
  user_id: string
  name: string
  hash: Buffer
  epoch: string
  created_at: Date
  expires_at: Date | null
}

export async function insertToken(tx: Tx, token: NewToken): Promise<void> {
  await tx.query(sql`
    insert into auth.api_tokens (id, org_id, user_id, name, hash, epoch, created_at, expires_at)
    values (${token.id}, ${token.org_id}, ${token.user_id}, ${token.name}, ${token.hash}, ${token.epoch},
            ${token.created_at}, ${token.expires_at})`)
}

/** Finds a token that is neither revoked nor expired, with the current role of the member who made it. */
export async function findLiveToken(
  db: Querier,
  hash: Buffer,
  epoch: string,
  now: Date,
): Promise<TokenRow | undefined> {
  const [row] = await db.query<TokenRow>(sql`
    select t.id, t.org_id, t.user_id, m.role, t.expires_at, t.last_used_at
    from auth.api_tokens t
    join auth.memberships m using (org_id, user_id)
    where t.hash = ${hash} and t.epoch = ${epoch} and t.revoked_at is null
      and (t.expires_at is null or t.expires_at > ${now})`)
  return row
}

/** Records a use of the token, for the person who looks at the list. */
export async function touchToken(db: Querier, id: string, use: { now: Date; from: string }): Promise<void> {
  await db.query(sql`
    update auth.api_tokens set last_used_at = ${use.now}, last_used_from = ${use.from} where id = ${id}`)
}

export type TokenListRow = {
  id: string
  name: string
  org_id: string
  user_id: string
  created_at: Date
  expires_at: Date | null
  last_used_at: Date | null
  last_used_from: string | null
}

/**
 * Lists the tokens of the current key epoch. Rotating the signing secrets invalidates all tokens, so the list is then
 * empty.
 */
/** Returns the tokens of the person, or without one those of the whole organization. */
export async function pageTokens(
  db: Querier,
  orgId: string,
  userId: string | undefined,
  epoch: string,
  { before, limit }: PageQuery,
): Promise<TokenListRow[]> {
  return db.query<TokenListRow>(sql`
    select id, name, org_id, user_id, created_at, expires_at, last_used_at, last_used_from
    from auth.api_tokens
    where org_id = ${orgId} and (${userId ?? null}::text is null or user_id = ${userId ?? null})
      and epoch = ${epoch} and revoked_at is null and (${before}::text is null or id < ${before})
    order by id desc limit ${limit + 1}`)
}

/** Returns whether a token was revoked. Without `user_id` the token may belong to any member of the organization. */
export async function revokeTokenRow(
  tx: Tx,
  { id, org_id, user_id, now }: { id: string; org_id: string; user_id: string | undefined; now: Date },
): Promise<boolean> {
  const rows = await tx.query(sql`
    update auth.api_tokens set revoked_at = ${now}
    where id = ${id} and org_id = ${org_id} and revoked_at is null
      and (${user_id ?? null}::text is null or user_id = ${user_id ?? null})
    returning id`)
  return rows.length === 1
}

import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

export type TokenListRow = {
  id: string
  name: string
  org_id: string
  user_id: string
  created_at: Date
  expires_at: Date | null
}

/** Only those that can still be used: a rotation of the signing secrets empties the list. */
export async function pageTokens(
  db: Querier,
  orgId: string,
  userId: string,
  epoch: string,
  before: string | null,
  limit: number,
): Promise<TokenListRow[]> {
  return db.query<TokenListRow>(sql`
    select id, name, org_id, user_id, created_at, expires_at
    from auth.api_tokens
    where org_id = ${orgId} and user_id = ${userId} and epoch = ${epoch} and revoked_at is null
      and (${before}::text is null or id < ${before})
    order by id desc limit ${limit + 1}`)
}

/** True when there was one to revoke. Without `user_id` anyone's in the organization. */
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

import type { Sealer } from '#lib/crypto/seal.ts'
import type { SealedColumn } from '#lib/crypto/sealed-columns.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { newToken, tokenDigest } from '../model/link-token.ts'

type FollowKey = { org_id: string; user_id: string; app_id: string }

/** The token of the link that ends a follow by mail, sealed because each mail must contain it again. */
export const FOLLOW_LINK_TOKENS: SealedColumn<FollowKey> = {
  kind: 'unsubscribe links of follows',
  table: ['notifications', 'follow_links'],
  column: 'token',
  primaryKey: ['org_id', 'user_id', 'app_id'],
  context: ({ org_id, user_id, app_id }) => `follow:${org_id}:${user_id}:${app_id}`,
}

/** Makes the link of a follow once. It stays the same for as long as the app can be followed. */
export async function ensureFollowLink(tx: Tx, sealer: Sealer, follow: FollowKey): Promise<void> {
  const { org_id, user_id, app_id } = follow
  const token = newToken()
  await tx.query(sql`
    insert into notifications.follow_links (org_id, user_id, app_id, digest, token)
    values (${org_id}, ${user_id}, ${app_id}, ${tokenDigest(token)},
      ${sealer.seal(token, FOLLOW_LINK_TOKENS.context(follow))})
    on conflict (org_id, user_id, app_id) do nothing`)
}

/** Returns undefined when the person never chose mail for the app. */
export async function openFollowToken(db: Querier, sealer: Sealer, follow: FollowKey): Promise<string | undefined> {
  const { org_id, user_id, app_id } = follow
  const [row] = await db.query<{ token: string }>(sql`
    select token from notifications.follow_links
    where org_id = ${org_id} and user_id = ${user_id} and app_id = ${app_id}`)
  return row && sealer.open(row.token, FOLLOW_LINK_TOKENS.context(follow))
}

export async function hasFollowLink(db: Querier, digest: Buffer): Promise<boolean> {
  const rows = await db.query(sql`select from notifications.follow_links where digest = ${digest}`)
  return rows.length > 0
}

/**
 * Ends the one follow of a link, if it is by mail now. Returns false when the link is unknown. A follow that the person
 * moved to chat since is left alone: it sends no mails.
 */
export async function endFollowByDigest(tx: Tx, digest: Buffer): Promise<boolean> {
  if (!(await hasFollowLink(tx, digest))) return false
  await tx.query(sql`
    delete from notifications.follows as follow using notifications.follow_links as link
    where digest = ${digest} and follow.org_id = link.org_id and follow.user_id = link.user_id
      and follow.app_id = link.app_id and via = 'mail'`)
  return true
}

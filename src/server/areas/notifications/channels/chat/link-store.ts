import type { Sealer } from '#lib/crypto/seal.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { ACCOUNT_INACTIVE, INSTALLATION_BROKEN } from '../../model/outcome.ts'
import { CHAT_BOT_TOKENS } from './secret.ts'

type LinkRow = {
  workspace_id: string
  chat_user_id: string
  display_name: string
  inactive_since: Date | null
  linked_at: Date
}

export type Person = { orgId: string; userId: string }

export async function findLink(db: Querier, { orgId, userId }: Person): Promise<LinkRow | undefined> {
  const [row] = await db.query<LinkRow>(sql`
    select workspace_id, chat_user_id, display_name, inactive_since, linked_at from notifications.chat_links
    where org_id = ${orgId} and user_id = ${userId}`)
  return row
}

export async function removeLink(db: Querier, { orgId, userId }: Person): Promise<boolean> {
  const rows = await db.query(sql`
    delete from notifications.chat_links where org_id = ${orgId} and user_id = ${userId} returning user_id`)
  return rows.length === 1
}

type NewLink = Person & { workspaceId: string; chatUserId: string; displayName: string }

/**
 * Links the account, in place of the one that the person had. Returns the person who holds the account if it is somebody
 * else's; nothing is changed then. A link whose account was deactivated does not hold it. The caller holds the lock of
 * the organization's chat, so that two people cannot link one account at once.
 */
export async function saveLink(tx: Tx, link: NewLink): Promise<Person | undefined> {
  const isOfAnother = sql`org_id = ${link.orgId} and workspace_id = ${link.workspaceId}
    and chat_user_id = ${link.chatUserId} and user_id <> ${link.userId}`
  await tx.query(sql`
    delete from notifications.chat_links where ${isOfAnother} and inactive_since is not null`)
  const [holder] = await tx.query<{ user_id: string }>(sql`
    select user_id from notifications.chat_links where ${isOfAnother}`)
  if (holder) return { orgId: link.orgId, userId: holder.user_id }
  await tx.query(sql`
    insert into notifications.chat_links (org_id, user_id, workspace_id, chat_user_id, display_name, linked_at)
    values (${link.orgId}, ${link.userId}, ${link.workspaceId}, ${link.chatUserId}, ${link.displayName},
      clock_timestamp())
    on conflict (org_id, user_id) do update
      set workspace_id = excluded.workspace_id, chat_user_id = excluded.chat_user_id,
          display_name = excluded.display_name, linked_at = excluded.linked_at, inactive_since = null`)
  return undefined
}

/** Where direct messages to a person go, or why none can be sent. */
type DirectTarget = { readonly chatUserId: string; readonly botToken: string } | { readonly notSent: string }

type TargetRow = {
  linked_workspace: string | null
  chat_user_id: string | null
  inactive_since: Date | null
  installed_workspace: string | null
  bot_token: string | null
  broken_since: Date | null
}

export async function findDirectTarget(db: Querier, sealer: Sealer, { orgId, userId }: Person): Promise<DirectTarget> {
  const [row] = await db.query<TargetRow>(sql`
    select link.workspace_id as linked_workspace, chat_user_id, inactive_since,
      installation.workspace_id as installed_workspace, bot_token, broken_since
    from (select 1) as one
    left join notifications.chat_links as link on link.org_id = ${orgId} and link.user_id = ${userId}
    left join notifications.chat_installations as installation on installation.org_id = ${orgId}`)
  const notSent = reasonNotSent(row!)
  if (notSent !== undefined) return { notSent }
  const botToken = sealer.open(row!.bot_token!, CHAT_BOT_TOKENS.context({ org_id: orgId }))
  return { chatUserId: row!.chat_user_id!, botToken }
}

function reasonNotSent(row: TargetRow): string | undefined {
  if (row.chat_user_id === null) return 'chat_not_linked'
  if (row.bot_token === null || row.broken_since !== null) return INSTALLATION_BROKEN
  // The organization has moved to another workspace, where this person has linked no account yet.
  if (row.linked_workspace !== row.installed_workspace) return 'chat_not_linked'
  return row.inactive_since === null ? undefined : ACCOUNT_INACTIVE
}

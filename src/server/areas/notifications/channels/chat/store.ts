import type { Sealer } from '#lib/crypto/seal.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { rememberTicketsSeed, seedTickets } from '../../defaults/seed.ts'
import { CHANNEL_SECRETS } from '../secret.ts'
import { type ChannelRow, insertChannel, listChannels, requireChannel, restartChannel } from '../store.ts'
import { CHAT_BOT_TOKENS } from './secret.ts'

type ConnectedChannel = {
  url: string
  label: string
  workspaceId: string
  /** Names the channel for ever, as well as it is known: default subscriptions are made once for each. */
  identity: string
}

/** Returns undefined while no chat channel is connected. An organization has at most one. */
export async function findChatChannel(db: Querier, orgId: string): Promise<ChannelRow | undefined> {
  const [channel] = await listChannels(db, orgId, 'chat')
  return channel
}

/** Saves where the organization's chat channel is. The caller holds the lock. */
export async function saveChannel(
  tx: Tx,
  sealer: Sealer,
  orgId: string,
  connected: ConnectedChannel,
): Promise<ChannelRow> {
  const { label, url } = connected
  const settings = { workspace_id: connected.workspaceId }
  const before = await findChatChannel(tx, orgId)
  if (before) {
    const secret = sealer.seal(url, CHANNEL_SECRETS.context({ id: before.id }))
    await restartChannel(tx, { id: before.id, kind: 'chat', secret, label, settings })
    await rememberTicketsSeed(tx, orgId, connected.identity)
    return requireChannel(tx, orgId, before.id)
  }
  const channel = await insertChannel(tx, sealer, { org_id: orgId, kind: 'chat', label, settings, secret: url })
  await seedTickets(tx, sealer, { orgId, channelId: channel.id, identity: connected.identity })
  return channel
}

export type InstallationRow = { workspace_id: string; workspace_name: string; broken_since: Date | null }

export async function findInstallation(db: Querier, orgId: string): Promise<InstallationRow | undefined> {
  const [row] = await db.query<InstallationRow>(sql`
    select workspace_id, workspace_name, broken_since from notifications.chat_installations where org_id = ${orgId}`)
  return row
}

export async function saveInstallation(
  tx: Tx,
  sealer: Sealer,
  orgId: string,
  { workspaceId, workspaceName, botToken }: { workspaceId: string; workspaceName: string; botToken: string },
): Promise<void> {
  const sealed = sealer.seal(botToken, CHAT_BOT_TOKENS.context({ org_id: orgId }))
  await tx.query(sql`
    insert into notifications.chat_installations (org_id, workspace_id, workspace_name, bot_token, installed_at)
    values (${orgId}, ${workspaceId}, ${workspaceName}, ${sealed}, clock_timestamp())
    on conflict (org_id) do update
      set workspace_id = excluded.workspace_id, workspace_name = excluded.workspace_name,
          bot_token = excluded.bot_token, installed_at = excluded.installed_at, broken_since = null`)
}

/** An organization has one workspace, so a channel of another workspace ends the installation in the former one. */
export async function removeInstallationElsewhere(tx: Tx, orgId: string, workspaceId: string): Promise<void> {
  await tx.query(sql`
    delete from notifications.chat_installations where org_id = ${orgId} and workspace_id <> ${workspaceId}`)
}

/** Returns false when nothing was connected. The caller holds the lock. */
export async function removeConnection(tx: Tx, orgId: string): Promise<boolean> {
  const channels = await tx.query(sql`
    delete from notifications.channels where org_id = ${orgId} and kind = 'chat' returning id`)
  const installations = await tx.query(sql`
    delete from notifications.chat_installations where org_id = ${orgId} returning org_id`)
  return channels.length + installations.length > 0
}

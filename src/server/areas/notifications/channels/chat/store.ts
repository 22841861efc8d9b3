import type { Sealer } from '#lib/crypto/seal.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { rememberTicketsSeed, seedTickets } from '../../defaults/seed.ts'
import { rescheduleDestinations } from '../../queue/reschedule.ts'
import { CHANNEL_SECRETS } from '../secret.ts'
import { type ChannelRow, findChannel, insertChannel, listChannels } from '../store.ts'
import { CHAT_BOT_TOKENS } from './secret.ts'

type ConnectedChannel = {
  url: string
  label: string
  workspaceId: string
  /** Names the channel for ever, as well as it is known: default subscriptions are made once for each. */
  identity: string
}

/** Holds off every other change of the organization's chat connection until the transaction ends. */
export async function lockChat(tx: Tx, orgId: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`chat ${orgId}`}, 0))`)
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
  const before = await findChatChannel(tx, orgId)
  if (before) {
    await replaceChannel(tx, sealer, before.id, connected)
    await rememberTicketsSeed(tx, orgId, connected.identity)
    return (await findChannel(tx, orgId, before.id))!
  }
  const { label, workspaceId, url } = connected
  const added = { org_id: orgId, kind: 'chat', label, settings: { workspace_id: workspaceId }, secret: url } as const
  const channel = await insertChannel(tx, sealer, added)
  await seedTickets(tx, sealer, { orgId, channelId: channel.id, identity: connected.identity })
  return channel
}

/**
 * Lets the channel begin anew at another webhook. Subscriptions that were disabled with the lost connection are enabled;
 * those that an admin or a recipient disabled stay disabled.
 */
async function replaceChannel(tx: Tx, sealer: Sealer, id: string, connected: ConnectedChannel): Promise<void> {
  // Destinations are locked before channels everywhere, so that two transactions cannot wait for each other.
  await tx.query(sql`
    update notifications.destinations set failures = 0, paused_until = null where key = ${`chat:${id}`}`)
  await tx.query(sql`
    update notifications.channels
    set secret = ${sealer.seal(connected.url, CHANNEL_SECRETS.context({ id }))}, label = ${connected.label},
        state = 'active', disabled_reason = null, failing_since = null, failure_mailed_at = null,
        settings = jsonb_build_object('workspace_id', ${connected.workspaceId}::text, 'url_saved_at', clock_timestamp())
    where id = ${id}`)
  await tx.query(sql`
    update notifications.subscriptions set enabled = true, disabled_by = null
    where channel_id = ${id} and disabled_by = 'connection_lost'`)
  await rescheduleDestinations(tx, [`chat:${id}`])
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

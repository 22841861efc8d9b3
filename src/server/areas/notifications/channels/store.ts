import type { ChannelKind } from '#contract/notifications/channels.ts'
import { newId } from '#edge/ids.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { CHANNEL_SECRETS } from './secret.ts'

export type ChannelRow = {
  id: string
  org_id: string
  kind: ChannelKind
  label: string
  state: 'unconfirmed' | 'active' | 'disabled'
  disabled_reason: string | null
  settings: Record<string, unknown>
  failing_since: Date | null
  created_at: Date
}

const COLUMNS = sql`id, org_id, kind, label, state, disabled_reason, settings, failing_since, created_at`

type NewChannel = Pick<ChannelRow, 'org_id' | 'kind' | 'label' | 'settings'> & {
  state?: ChannelRow['state']
  secret?: string
}

export async function insertChannel(tx: Tx, sealer: Sealer, added: NewChannel): Promise<ChannelRow> {
  const id = newId('chn')
  const secret = added.secret === undefined ? null : sealer.seal(added.secret, CHANNEL_SECRETS.context({ id }))
  const [row] = await tx.query<ChannelRow>(sql`
    insert into notifications.channels (id, org_id, kind, label, state, secret, settings, created_at)
    values (${id}, ${added.org_id}, ${added.kind}, ${added.label}, ${added.state ?? 'active'}, ${secret},
      ${JSON.stringify(added.settings)}, clock_timestamp())
    returning ${COLUMNS}`)
  return row!
}

/** Channels of an organization, oldest first. */
export async function listChannels(db: Querier, orgId: string, kind?: ChannelKind): Promise<ChannelRow[]> {
  return db.query(sql`
    select ${COLUMNS} from notifications.channels
    where org_id = ${orgId} ${kind === undefined ? sql`` : sql`and kind = ${kind}`}
    order by id`)
}

export async function findChannel(db: Querier, orgId: string, id: string): Promise<ChannelRow | undefined> {
  const [row] = await db.query<ChannelRow>(sql`
    select ${COLUMNS} from notifications.channels where org_id = ${orgId} and id = ${id}`)
  return row
}

/** Its subscriptions are deleted with it. */
export async function deleteChannel(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`delete from notifications.channels where id = ${id}`)
}

/**
 * Opens the secrets of channels with one statement, in the order of the ids. A secret is undefined when its channel does
 * not exist, is not active, or has none.
 */
export async function openSecrets(
  db: Querier,
  sealer: Sealer,
  ids: readonly string[],
): Promise<(string | undefined)[]> {
  const rows = await db.query<{ id: string; secret: string }>(sql`
    select id, secret from notifications.channels
    where id = any(${[...ids]}::text[]) and state = 'active' and secret is not null`)
  const opened = new Map(rows.map(({ id, secret }) => [id, sealer.open(secret, CHANNEL_SECRETS.context({ id }))]))
  return ids.map((id) => opened.get(id))
}

export type ChannelRecipient = {
  address: string
  /** Set where the channel is active only because the address is this member's. */
  member_id: string | null
}

/** Returns whom an email channel reaches, or undefined when the channel does not exist or is not active. */
export async function findRecipient(db: Querier, id: string): Promise<ChannelRecipient | undefined> {
  const [row] = await db.query<ChannelRecipient>(sql`
    select settings ->> 'address' as address, settings ->> 'member_id' as member_id from notifications.channels
    where id = ${id} and kind = 'email' and state = 'active'`)
  return row
}

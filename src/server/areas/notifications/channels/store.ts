import { notFound } from '#contract/core/errors.ts'
import type { Channel, ChannelKind } from '#contract/notifications/channels.ts'
import { newId } from '#edge/ids.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { rescheduleDestinations } from '../store/reschedule.ts'
import { CHANNEL_SECRETS } from './secret.ts'

export type ChannelRow = Omit<Channel, 'failing_since' | 'created_at' | 'standard_webhooks'> & {
  org_id: string
  settings: Record<string, unknown>
  failing_since: Date | null
  created_at: Date
  /** Time of the current signing secret of a webhook; null while it has none. */
  signing_since: Date | null
  /** Latest end of the secrets that were replaced, also when it is past. */
  former_signing_ends_at: Date | null
}

const COLUMNS = sql`id, org_id, kind, label, state, disabled_reason, settings, failing_since, created_at,
  (select created_at from notifications.signing_secrets as one
    where one.channel_id = channels.id and ends_at is null) as signing_since,
  (select max(ends_at) from notifications.signing_secrets as one
    where one.channel_id = channels.id) as former_signing_ends_at`

/** Processes of the former release take the same locks. */
const LOCK_NAMES: Record<ChannelKind, string> = {
  chat: 'chat',
  forum: 'forum',
  webhook: 'webhooks',
  email: 'addresses',
}

/** Holds off every other change of the organization's channels of this kind until the transaction ends. */
export async function lockChannels(tx: Tx, orgId: string, kind: ChannelKind): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`${LOCK_NAMES[kind]} ${orgId}`}, 0))`)
}

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

/** Throws "No such channel." With `kind` also for a channel of another kind, and then names the kind. */
export async function requireChannel(db: Querier, orgId: string, id: string, kind?: ChannelKind): Promise<ChannelRow> {
  const [row] = await db.query<ChannelRow>(sql`
    select ${COLUMNS} from notifications.channels where org_id = ${orgId} and id = ${id}`)
  if (row && (kind === undefined || row.kind === kind)) return row
  throw notFound(kind === 'email' ? 'email address' : (kind ?? 'channel'))
}

type Restarted = {
  id: string
  kind: ChannelKind
  /** Sealed. */
  secret: string
  /** The label and the settings stay as they are where none are given. */
  label?: string
  settings?: Record<string, unknown>
}

/**
 * Saves where a channel leads and lets it begin anew: what the circuit breaker learnt, and the answer that disabled the
 * channel, were about the former address. Subscriptions that were disabled with the channel are enabled; those that an
 * admin or a recipient disabled stay disabled.
 */
export async function restartChannel(tx: Tx, { id, kind, secret, label, settings }: Restarted): Promise<void> {
  const key = `${kind}:${id}`
  // Destinations are locked before channels everywhere, so that two transactions cannot wait for each other.
  await tx.query(sql`
    update notifications.destinations set failures = 0, paused_until = null where key = ${key}`)
  await tx.query(sql`
    update notifications.channels
    set secret = ${secret}, label = coalesce(${label ?? null}, label), state = 'active', disabled_reason = null,
        failing_since = null, failures = 0, failure_mailed_at = null,
        settings = coalesce(${settings ? JSON.stringify(settings) : null}::jsonb, settings)
          || jsonb_build_object('url_saved_at', clock_timestamp())
    where id = ${id}`)
  await tx.query(sql`
    update notifications.subscriptions set enabled = true, disabled_by = null
    where channel_id = ${id} and disabled_by = ${kind === 'chat' ? 'connection_lost' : 'gone'}`)
  await rescheduleDestinations(tx, [key])
}

/** Settings that are not given stay as they are. */
export async function updateChannel(
  tx: Tx,
  { id, label, settings }: { id: string; label: string; settings: Record<string, unknown> },
): Promise<void> {
  await tx.query(sql`
    update notifications.channels set label = ${label}, settings = settings || ${JSON.stringify(settings)}::jsonb
    where id = ${id}`)
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

type ChannelRecipient = {
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

import { notFound } from '#contract/core/errors.ts'
import type { Channel } from '#contract/notifications/channels.ts'
import type { Subscription } from '#contract/notifications/subscriptions.ts'
import { newId } from '#edge/ids.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { newToken, tokenDigest } from '../model/link-token.ts'
import type { Timing } from '../model/notification.ts'
import { UNSUBSCRIBE_TOKENS } from './unsubscribe-token.ts'

export type SubscriptionRow = Pick<Subscription, 'id' | 'timing' | 'enabled' | 'disabled_by'> & {
  pattern: string
  created_at: Date
  channel_id: string
  channel_kind: Channel['kind']
  channel_label: string
  channel_state: Channel['state']
}

const SELECTED = sql`
  select subscription.id, pattern, timing, enabled,
    case when awaits_recipient then 'unconfirmed' else disabled_by end as disabled_by, subscription.created_at, channel_id,
    kind as channel_kind, label as channel_label, state as channel_state
  from notifications.subscriptions as subscription
  join notifications.channels as channel on channel.id = channel_id`

/** Subscriptions of the organization itself; those of single persons are theirs alone. */
export async function listSubscriptionRows(db: Querier, orgId: string): Promise<SubscriptionRow[]> {
  return db.query(sql`${SELECTED} where subscription.org_id = ${orgId} order by subscription.id`)
}

export async function requireSubscription(db: Querier, orgId: string, id: string): Promise<SubscriptionRow> {
  const [row] = await db.query<SubscriptionRow>(
    sql`${SELECTED} where subscription.org_id = ${orgId} and subscription.id = ${id}`,
  )
  if (!row) throw notFound('subscription')
  return row
}

export type NewSubscription = {
  org_id: string
  pattern: string
  timing: Timing
  /** It waits until the person behind the address confirms. */
  isUnconfirmed?: boolean
} & (
  | { owner: 'organization'; channel_id: string; user_id?: undefined }
  | { owner: 'reporter' | 'support_access'; user_id: string; channel_id?: undefined }
)

/** Returns the id, or undefined when the same subscription exists: of this channel and type, or of this person. */
export async function addSubscription(tx: Tx, sealer: Sealer, added: NewSubscription): Promise<string | undefined> {
  const id = newId('sub')
  const token = newToken()
  const [row] = await tx.query<{ id: string }>(sql`
    insert into notifications.subscriptions
      (id, org_id, owner, user_id, channel_id, pattern, timing, enabled, disabled_by, awaits_recipient,
       unsubscribe_digest, unsubscribe_token, created_at)
    values (${id}, ${added.org_id}, ${added.owner}, ${added.user_id ?? null}, ${added.channel_id ?? null},
      ${added.pattern}, ${added.timing}, ${added.isUnconfirmed !== true},
      ${added.isUnconfirmed === true ? 'unsubscribe' : null}, ${added.isUnconfirmed === true}, ${tokenDigest(token)},
      ${sealer.seal(token, UNSUBSCRIBE_TOKENS.context({ id }))}, clock_timestamp())
    on conflict do nothing
    returning id`)
  return row?.id
}

type SubscriptionChange = { enabled?: boolean | undefined; timing?: Timing | undefined }

/**
 * Returns false when there is no such subscription, or when it would be enabled and its recipient unsubscribed or has not
 * confirmed. What an admin disables stays disabled, also when a lost connection had disabled it before and comes back.
 */
export async function updateSubscription(
  db: Querier,
  { orgId, id, enabled, timing }: { orgId: string; id: string } & SubscriptionChange,
): Promise<boolean> {
  const given = enabled ?? null
  const rows = await db.query(sql`
    update notifications.subscriptions
    set timing = coalesce(${timing ?? null}, timing), enabled = coalesce(${given}::boolean, enabled),
        disabled_by = case
          when ${given}::boolean then null
          when not ${given}::boolean and disabled_by is distinct from 'unsubscribe' then 'admin'
          else disabled_by end
    where org_id = ${orgId} and id = ${id} and owner = 'organization'
      and (disabled_by is distinct from 'unsubscribe' or ${given}::boolean is distinct from true)
    returning id`)
  return rows.length === 1
}

export async function removeSubscription(db: Querier, orgId: string, id: string): Promise<boolean> {
  const rows = await db.query(sql`
    delete from notifications.subscriptions
    where org_id = ${orgId} and id = ${id} and owner = 'organization' returning id`)
  return rows.length === 1
}

/** The event types of an address that wait for its person. */
export async function listUnconfirmed(db: Querier, channelId: string): Promise<string[]> {
  const rows = await db.query<{ pattern: string }>(sql`
    select pattern from notifications.subscriptions
    where channel_id = ${channelId} and awaits_recipient order by id`)
  return rows.map(({ pattern }) => pattern)
}

export async function enableUnconfirmed(db: Querier, channelId: string): Promise<void> {
  await db.query(sql`
    update notifications.subscriptions set enabled = true, disabled_by = null, awaits_recipient = false
    where channel_id = ${channelId} and awaits_recipient`)
}

/** Returns undefined when the subscription does not exist. */
export async function openUnsubscribeToken(db: Querier, sealer: Sealer, id: string): Promise<string | undefined> {
  const [row] = await db.query<{ unsubscribe_token: string }>(sql`
    select unsubscribe_token from notifications.subscriptions where id = ${id}`)
  return row && sealer.open(row.unsubscribe_token, UNSUBSCRIBE_TOKENS.context({ id }))
}

import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { matchesPattern } from '../model/pattern.ts'

type Recipient = { org_id: string; address: string }
type Unsubscribed = Recipient & { pattern: string }

/** Lists the patterns that the person behind the address unsubscribed from and never confirmed again. */
async function listUnsubscribed(db: Querier, { org_id, address }: Recipient): Promise<string[]> {
  const rows = await db.query<{ pattern: string }>(sql`
    select pattern from notifications.unsubscribed_addresses
    where org_id = ${org_id} and address = ${address.toLowerCase()} order by pattern`)
  return rows.map(({ pattern }) => pattern)
}

export async function hasUnsubscribed(db: Querier, recipient: Recipient): Promise<boolean> {
  return (await listUnsubscribed(db, recipient)).length > 0
}

/** Lists what the person unsubscribed from that a subscription would bring back. */
export async function listUnsubscribedParts(db: Querier, { pattern, ...recipient }: Unsubscribed): Promise<string[]> {
  const patterns = await listUnsubscribed(db, recipient)
  return patterns.filter((one) => matchesPattern(one, pattern) || matchesPattern(pattern, one))
}

/** Forgets what a confirmed subscription brings back, and nothing else. */
export async function forgetUnsubscribedPart(tx: Tx, confirmed: Unsubscribed): Promise<void> {
  const { org_id, address } = confirmed
  const patterns = await listUnsubscribedParts(tx, confirmed)
  await tx.query(sql`
    delete from notifications.unsubscribed_addresses
    where org_id = ${org_id} and address = ${address.toLowerCase()} and pattern = any(${patterns}::text[])`)
}

/** Called when the person confirmed the address by a link. */
export async function forgetUnsubscribed(tx: Tx, { org_id, address }: Recipient): Promise<void> {
  await tx.query(sql`
    delete from notifications.unsubscribed_addresses where org_id = ${org_id} and address = ${address.toLowerCase()}`)
}

/**
 * Keeps the unsubscribe links of mails, before the subscription or channel that they belong to is deleted. Otherwise a
 * person could not unsubscribe by an older mail after an admin deleted the subscription and added it again.
 */
export async function keepUnsubscribeLinks(
  tx: Tx,
  of: { orgId: string } & ({ subscriptionId: string } | { channelId: string }),
): Promise<void> {
  const isMeant = 'channelId' in of ? sql`channel_id = ${of.channelId}` : sql`subscription.id = ${of.subscriptionId}`
  await tx.query(sql`
    insert into notifications.former_unsubscribe_links (digest, org_id, address, pattern)
    select unsubscribe_digest, subscription.org_id, lower(settings ->> 'address'), pattern
    from notifications.subscriptions as subscription
    join notifications.channels as channel on channel.id = channel_id
    where kind = 'email' and subscription.org_id = ${of.orgId} and ${isMeant}
    on conflict (digest) do nothing`)
}

const LINKED = (digest: Buffer) => sql`
  select subscription.org_id, lower(settings ->> 'address') as address, pattern
  from notifications.subscriptions as subscription
  join notifications.channels as channel on channel.id = channel_id
  where unsubscribe_digest = ${digest} and kind = 'email'
  union all
  select org_id, address, pattern from notifications.former_unsubscribe_links where digest = ${digest}`

/** Whether an unsubscribe link belongs to a subscription, also to one that was deleted since. */
export async function hasUnsubscribeDigest(db: Querier, digest: Buffer): Promise<boolean> {
  const rows = await db.query(sql`
    select from notifications.subscriptions where unsubscribe_digest = ${digest}
    union all
    select from notifications.former_unsubscribe_links where digest = ${digest}`)
  return rows.length > 0
}

/**
 * Disables the subscription of a link for good, whatever disabled it before. For an address of the organization the
 * event type is remembered, so that the same cannot be subscribed again without the person. Returns false when the link
 * is unknown.
 */
export async function unsubscribeByDigest(tx: Tx, digest: Buffer): Promise<boolean> {
  const [linked] = await tx.query<Unsubscribed>(LINKED(digest))
  if (linked) await rememberUnsubscribed(tx, linked)
  const disabled = await tx.query(sql`
    update notifications.subscriptions set enabled = false, disabled_by = 'unsubscribe', awaits_recipient = false
    where unsubscribe_digest = ${digest} returning id`)
  return linked !== undefined || disabled.length > 0
}

async function rememberUnsubscribed(tx: Tx, { org_id, address, pattern }: Unsubscribed): Promise<void> {
  await tx.query(sql`
    insert into notifications.unsubscribed_addresses (org_id, address, pattern, unsubscribed_at)
    values (${org_id}, ${address}, ${pattern}, clock_timestamp())
    on conflict (org_id, address, pattern) do nothing`)
  await tx.query(sql`
    update notifications.subscriptions as subscription set enabled = false, disabled_by = 'unsubscribe', awaits_recipient = false
    from notifications.channels as channel
    where channel.id = channel_id and channel.kind = 'email' and lower(channel.settings ->> 'address') = ${address}
      and subscription.org_id = ${org_id} and pattern = ${pattern}`)
}

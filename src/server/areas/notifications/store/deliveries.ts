import type { DestinationKind } from '#contract/notifications/channels.ts'
import { newId } from '#edge/ids.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

type NewDelivery = {
  id?: string
  org_id: string
  destination_key: string
  kind: DestinationKind
  channel_id?: string | null
  user_id?: string | null
} & (
  | { digest_key: string; window_end: Date }
  | { message_key: string; message: string }
  | { resend_of: string; resent_by: string }
)

/**
 * Adds a message that is due at once and returns its id. Returns undefined when the digest window, or the mail with this
 * key, has a message already. The caller wakes the destination.
 */
export async function addDelivery(tx: Tx, { id = newId('dlv'), ...added }: NewDelivery): Promise<string | undefined> {
  const [row] = await tx.query<{ id: string }>(sql`
    insert into notifications.deliveries (id, org_id, destination_key, kind, channel_id, user_id, digest_key, window_end,
      message_key, message, resend_of, resent_by, state, next_at, created_at)
    select ${id}, org_id, destination_key, kind, channel_id, user_id, digest_key, window_end,
      message_key, message, resend_of, resent_by, 'pending', clock_timestamp(), clock_timestamp()
    from jsonb_populate_record(null::notifications.deliveries, ${JSON.stringify(added)}::jsonb)
    on conflict do nothing
    returning id`)
  return row?.id
}

/** Where a message goes, by its id or by the key of a system mail. */
export async function findDestination(db: Querier, key: { id: string } | { message_key: string }) {
  const isMeant = 'id' in key ? sql`id = ${key.id}` : sql`message_key = ${key.message_key}`
  const [row] = await db.query<{ destination_key: string; kind: DestinationKind }>(sql`
    select destination_key, kind from notifications.deliveries where ${isMeant}`)
  return row
}

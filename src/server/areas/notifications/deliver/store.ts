import { readStoredEvent } from '#contract/core/events.ts'
import type { Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { ClaimedDelivery } from './claim.ts'
import type { DueNotification } from './due-notification.ts'

export type LoadedNotification = DueNotification & {
  /** Null when the subscription is disabled, deleted or unsubscribed from, and for a notification of a follow. */
  readonly subscription_owner: 'organization' | 'reporter' | 'support_access' | null
}

type Row = Omit<LoadedNotification, 'id' | 'event'> & {
  place: number
  is_channel_active: boolean
  /** Null when the delivery has no notification that may be sent. */
  id: string | null
  event_id: string
  org_id: string
  type: string
  body: unknown
  occurred_at: Date
}

/**
 * Loads deliveries in one statement, in the given order. Notifications of an event that only a newer release can read
 * are left out.
 */
export async function loadDeliveries(db: Querier, deliveries: readonly ClaimedDelivery[]) {
  const rows = await db.query<Row>(sql`
    select claimed.place::int, claimed.channel_id is null or channel.state is not null as is_channel_active,
      found.id, found.subscription_id, found.user_id, subscription.owner as subscription_owner, found.event_id,
      found.org_id, found.type, found.body, found.occurred_at
    from unnest(${deliveries.map(({ id, resend_of }) => resend_of ?? id)}::text[],
        ${deliveries.map(({ channel_id }) => channel_id)}::text[]) with ordinality as claimed (id, channel_id, place)
    left join notifications.channels as channel on channel.id = claimed.channel_id and channel.state = 'active'
    left join lateral (
      select notification.id, subscription_id, user_id, event_id, event.org_id, type, body, occurred_at
      from notifications.notifications as notification
      join notifications.events as event on event.id = event_id
      where delivery_id = claimed.id and dropped_reason is null
      -- Keeps Postgres from reading the whole tables, which it would choose while their statistics are old.
      offset 0
    ) as found on true
    left join notifications.subscriptions as subscription on subscription.id = found.subscription_id and enabled
      -- One that was added while its recipient unsubscribed from the same may not know of it.
      and not (channel.kind = 'email' and exists (
        select from notifications.unsubscribed_addresses as unsubscribed
        where unsubscribed.org_id = channel.org_id and unsubscribed.address = lower(channel.settings ->> 'address')
          and unsubscribed.pattern = subscription.pattern))
    order by found.id`)
  const byPlace = Map.groupBy(rows, ({ place }) => place)
  return deliveries.map((_, i) => {
    const own = byPlace.get(i + 1)!
    return { isChannelActive: own[0]!.is_channel_active, notifications: own.flatMap(toLoaded) }
  })
}

function toLoaded({
  id,
  subscription_id,
  user_id,
  subscription_owner,
  event_id,
  ...stored
}: Row): LoadedNotification[] {
  const event = id === null ? undefined : readStoredEvent(stored)
  return event ? [{ id: id!, subscription_id, user_id, subscription_owner, event: { ...event, id: event_id } }] : []
}

type Follow = { org_id: string; appId: string; userId: string; category: string }

export async function isFollowing(db: Querier, { org_id, appId, userId, category }: Follow): Promise<boolean> {
  const rows = await db.query(sql`
    select from notifications.follows
    where org_id = ${org_id} and app_id = ${appId} and user_id = ${userId} and ${category} = any(categories)`)
  return rows.length > 0
}

export async function dropNotifications(
  db: Querier,
  refused: readonly { id: string; reason: string }[],
): Promise<void> {
  if (refused.length === 0) return
  await db.query(sql`
    update notifications.notifications as notification set dropped_reason = refused.reason
    from jsonb_to_recordset(${JSON.stringify(refused)}::jsonb) as refused (id text, reason text)
    where notification.id = refused.id`)
}

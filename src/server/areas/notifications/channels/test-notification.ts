import { notFound, ServiceError } from '#contract/core/errors.ts'
import { testChannel } from '#contract/notifications/test-channel.ts'
import { actorOf } from '#edge/credentials/actor.ts'
import { type Member, type Route, route } from '#edge/http/route.ts'
import { newId } from '#edge/ids.ts'
import type { Clock } from '#lib/clock.ts'
import type { Db, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { audit } from '#ports/audit.ts'
import { destinationOf } from '../model/destination-key.ts'
import { addNotifications } from '../queue/enqueue.ts'
import { type ChannelRow, findChannel } from './store.ts'

/** Queues a notification for one channel. Nothing of its way differs from that of a real one, except the matching. */
export function testChannelRoute({ db, clock }: { db: Db; clock: Clock }): Route {
  return route(testChannel, async ({ id }, { principal }) => {
    const { org_id } = principal
    return db.tx(async (tx) => {
      const channel = await findChannel(tx, org_id, id)
      if (!channel) throw notFound('channel')
      if (channel.state !== 'active') throw notActive(channel)
      const eventId = await storeTestEvent(tx, principal, { channel, at: clock.now() })
      const notification_id = await queueFor(tx, channel, eventId)
      const entry = { org_id, actor: actorOf(principal), action: 'channel.tested', target: id, at: clock.now() }
      await audit(tx, { ...entry, detail: { notification_id } })
      return { notification_id }
    })
  })
}

function notActive({ state, disabled_reason }: ChannelRow): ServiceError {
  const why = state === 'unconfirmed' ? 'is not confirmed yet' : `is disabled (${disabled_reason ?? 'by an admin'})`
  return new ServiceError('CHANNEL_NOT_ACTIVE', `This channel ${why}, so nothing is sent to it.`)
}

/** The event counts as matched from the beginning, so that it goes to no subscription and to no inbox. */
async function storeTestEvent(
  tx: Tx,
  { org_id, user_id }: Member,
  { channel, at }: { channel: ChannelRow; at: Date },
): Promise<string> {
  const id = newId('evt')
  const body = { status: 'test', actor_id: user_id, channel_id: channel.id }
  await tx.query(sql`
    insert into notifications.events (id, org_id, type, body, occurred_at, received_at, matched_at)
    values (${id}, ${org_id}, 'notification.test', ${JSON.stringify(body)}, ${at}, clock_timestamp(),
      clock_timestamp())`)
  return id
}

async function queueFor(tx: Tx, { id, org_id, kind, settings }: ChannelRow, eventId: string): Promise<string> {
  const { address, per_message } = settings as { address?: string; per_message?: number }
  const destination_key = destinationOf({ org_id }, { kind, channel_id: id, address: address ?? null })
  const toChannel = { event_id: eventId, org_id, destination_key, kind, channel_id: id, per_message: per_message ?? 1 }
  const ofNobody = { user_id: null, subscription_id: null, app_id: null, digest: null, dropped_reason: null }
  await addNotifications(tx, [{ ...toChannel, ...ofNobody }])
  const [row] = await tx.query<{ id: string }>(sql`
    select id from notifications.notifications where event_id = ${eventId} and destination_key = ${destination_key}`)
  return row!.id
}

import { ServiceError } from '#contract/core/errors.ts'
import { testChannel } from '#contract/notifications/channels.ts'
import { newId } from '#edge/ids.ts'
import { type Member, type Route, route } from '#edge/route/route.ts'
import type { Db, Tx } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import { auditBy } from '#ports/audit.ts'
import { destinationOf } from '../model/destination-key.ts'
import { OF_NOBODY } from '../model/notification.ts'
import { addNotifications, readNotificationId } from '../store/enqueue.ts'
import { insertMatchedEvent } from '../store/events.ts'
import { type ChannelRow, requireChannel } from './store.ts'

/** Queues a notification for one channel. Nothing of its way differs from that of a real one, except the matching. */
export function testChannelRoute({ db, clock }: { db: Db; clock: Clock }): Route {
  return route(testChannel, async ({ id }, { principal }) => {
    return db.tx(async (tx) => {
      const channel = await requireChannel(tx, principal.org_id, id)
      if (channel.state !== 'active') throw notActive(channel)
      const eventId = await storeTestEvent(tx, principal, { channel, at: clock.now() })
      const notification_id = await queueFor(tx, channel, eventId)
      const detail = { notification_id }
      await auditBy(tx, principal, { action: 'channel.tested', target: id, detail, at: clock.now() })
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
  await insertMatchedEvent(tx, { id, org_id, type: 'notification.test', body, occurred_at: at })
  return id
}

async function queueFor(tx: Tx, { id, org_id, kind, settings }: ChannelRow, eventId: string): Promise<string> {
  const { address, per_message } = settings as { address?: string; per_message?: number }
  const destination_key = destinationOf({ org_id }, { kind, channel_id: id, address: address ?? null })
  const toChannel = { event_id: eventId, org_id, destination_key, kind, channel_id: id, per_message: per_message ?? 1 }
  await addNotifications(tx, [{ ...OF_NOBODY, ...toChannel }])
  return readNotificationId(tx, eventId, destination_key)
}

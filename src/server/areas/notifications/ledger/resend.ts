import { notFound, ServiceError } from '#contract/core/errors.ts'
import type { DestinationKind } from '#contract/notifications/channels.ts'
import { resendDelivery } from '#contract/notifications/deliveries.ts'
import { actorOf } from '#edge/credentials/actor.ts'
import { type Route, route } from '#edge/http/route.ts'
import { newId } from '#edge/ids.ts'
import type { Clock } from '#lib/clock.ts'
import type { Db, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { audit } from '#ports/audit.ts'
import { wakeDestinations } from '../queue/enqueue.ts'
import { lockDestinations } from '../queue/lock.ts'
import { findLedgerRow, type LedgerRow } from './store.ts'

/** Sends the message of an entry again as a new delivery, because an admin asked for it. */
export function resendRoute({ db, clock }: { db: Db; clock: Clock }): Route {
  return route(resendDelivery, async ({ id, may_arrive_twice }, { principal }) => {
    const { org_id } = principal
    return db.tx(async (tx) => {
      const row = await findLedgerRow(tx, org_id, id)
      if (!row) throw notFound('delivery')
      refuseUnlessResendable(row, may_arrive_twice)
      const delivery_id = await addResend(tx, row, actorOf(principal))
      if (delivery_id === undefined) throw notResendable('A resend of this message is already under way.')
      const detail = { resend_of: row.delivery_id, may_arrive_twice }
      await audit(tx, {
        org_id,
        actor: actorOf(principal),
        action: 'delivery.resent',
        target: id,
        detail,
        at: clock.now(),
      })
      return { delivery_id }
    })
  })
}

function refuseUnlessResendable({ state, delivery_id }: LedgerRow, mayArriveTwice: boolean): void {
  if (delivery_id === null || state === null || !['failed', 'unknown', 'sent'].includes(state)) {
    throw notResendable('Only a message that was attempted and ended can be sent again.')
  }
  if (state !== 'failed' && !mayArriveTwice) {
    const what = state === 'sent' ? 'was delivered' : 'may have been delivered'
    throw notResendable(`This message ${what}. To send it again, set may_arrive_twice to true.`)
  }
}

function notResendable(detail: string): ServiceError {
  return new ServiceError('NOT_RESENDABLE', detail)
}

/** Undefined while an earlier resend has not ended. */
async function addResend(tx: Tx, row: LedgerRow, by: string): Promise<string | undefined> {
  const [original] = await tx.query<{ destination_key: string; kind: DestinationKind }>(sql`
    select destination_key, kind from notifications.deliveries where id = ${row.delivery_id}`)
  if (!original) return undefined
  await lockDestinations(tx, [original.destination_key])
  // Two admins at once cannot both resend it: the second waits here, and the next statement sees the first resend.
  await tx.query(sql`select from notifications.deliveries where id = ${row.delivery_id} for update`)
  const underWay = await tx.query(sql`
    select from notifications.deliveries where resend_of = ${row.delivery_id} and state in ('pending', 'sending')`)
  if (underWay.length > 0) return undefined
  const id = newId('dlv')
  await tx.query(sql`
    insert into notifications.deliveries (id, org_id, destination_key, kind, channel_id, user_id, resend_of, resent_by,
      state, next_at, created_at)
    values (${id}, ${row.org_id}, ${original.destination_key}, ${original.kind}, ${row.channel_id}, ${row.user_id},
      ${row.delivery_id}, ${by}, 'pending', clock_timestamp(), clock_timestamp())`)
  await wakeDestinations(tx, [{ ...original, org_id: row.org_id }])
  return id
}

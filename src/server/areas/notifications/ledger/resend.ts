import { ServiceError } from '#contract/core/errors.ts'
import { resendDelivery } from '#contract/notifications/deliveries.ts'
import { actorOf } from '#edge/credentials/actor.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Db, Tx } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import { auditBy } from '#ports/audit.ts'
import { addDelivery, findDestination } from '../store/deliveries.ts'
import { wakeDestinations } from '../store/enqueue.ts'
import { lockDestinations } from '../store/lock.ts'
import { isResent, type LedgerRow, requireLedgerRow } from './store.ts'

/** Sends the message of an entry again as a new delivery, because an admin asked for it. */
export function resendRoute({ db, clock }: { db: Db; clock: Clock }): Route {
  return route(resendDelivery, async ({ id, may_arrive_twice }, { principal }) => {
    return db.tx(async (tx) => {
      const row = await requireLedgerRow(tx, principal.org_id, id)
      refuseUnlessResendable(row, may_arrive_twice)
      const delivery_id = await addResend(tx, row, actorOf(principal))
      if (delivery_id === undefined) throw notResendable('A resend of this message is already under way.')
      const detail = { resend_of: row.delivery_id, may_arrive_twice }
      await auditBy(tx, principal, { action: 'delivery.resent', target: id, detail, at: clock.now() })
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
  const { org_id, channel_id, user_id } = row
  const resend_of = row.delivery_id!
  const original = await findDestination(tx, { id: resend_of })
  if (!original) return undefined
  await lockDestinations(tx, [original.destination_key])
  if (await isResent(tx, resend_of)) return undefined
  const id = await addDelivery(tx, { ...original, org_id, channel_id, user_id, resend_of, resent_by: by })
  await wakeDestinations(tx, [{ ...original, org_id }])
  return id
}

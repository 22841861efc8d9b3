import { newId } from '#edge/ids.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { MailOutcome, SystemMail, SystemMails } from '#ports/system-mail.ts'
import { mailKey } from '../model/destination-key.ts'
import { sealContent } from '../model/mail-content.ts'
import type { DeliveryState } from '../model/outcome.ts'
import { addDelivery, findDestination } from '../store/deliveries.ts'
import { wakeDestinations } from '../store/enqueue.ts'
import { lockDestinations } from '../store/lock.ts'
import { rescheduleDestinations } from '../store/reschedule.ts'

export function createSystemMails({ sealer }: { sealer: Sealer }): SystemMails {
  return {
    queue: (tx, mail) => queueMail(tx, sealer, mail),
    cancel: cancelMail,
    outcomes: readOutcomes,
  }
}

/** The organization of deliveries that belong to none. Ids of organizations are never empty. */
const NO_ORGANIZATION = ''

/** Makes a delivery that a worker claims, sends and records like any other. */
async function queueMail(tx: Tx, sealer: Sealer, mail: SystemMail): Promise<boolean> {
  const { key, to } = mail
  const org_id = mail.org_id ?? NO_ORGANIZATION
  const id = newId('dlv')
  const destination = { destination_key: mailKey({ org_id }, to), org_id, kind: 'email' } as const
  const message = sealContent(sealer, id, mail)
  if ((await addDelivery(tx, { id, ...destination, message_key: key, message })) === undefined) return false
  await wakeDestinations(tx, [destination])
  return true
}

async function cancelMail(tx: Tx, key: string, reason: string): Promise<void> {
  const found = await findDestination(tx, { message_key: key })
  if (!found) return
  // Destinations first: that is the order of every writer, so that none waits for another in a circle.
  await lockDestinations(tx, [found.destination_key])
  await tx.query(sql`
    update notifications.deliveries
    set state = 'dropped', reason = ${reason}, message = null, next_at = null, ended_at = clock_timestamp()
    where message_key = ${key} and state = 'pending'`)
  await rescheduleDestinations(tx, [found.destination_key])
}

const STATUSES: Record<DeliveryState, MailOutcome['status']> = {
  pending: 'waiting',
  sending: 'waiting',
  sent: 'sent',
  failed: 'not_sent',
  unknown: 'not_sent',
  dropped: 'not_sent',
}

async function readOutcomes(db: Querier, keys: readonly string[]): Promise<ReadonlyMap<string, MailOutcome>> {
  const rows = await db.query<{ message_key: string; state: DeliveryState; reason: string | null }>(sql`
    select message_key, state, reason from notifications.deliveries where message_key = any(${[...keys]}::text[])`)
  return new Map(rows.map(({ message_key, state, reason }) => [message_key, { status: STATUSES[state], reason }]))
}

import { newId } from '#edge/ids.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { MailOutcome, SystemMail, SystemMails } from '#ports/system-mail.ts'
import { mailKey } from '../model/destination-key.ts'
import { sealContent } from '../model/mail-content.ts'
import type { DeliveryState } from '../model/outcome.ts'
import { wakeDestinations } from '../queue/enqueue.ts'
import { lockDestinations } from '../queue/lock.ts'
import { rescheduleDestinations } from '../queue/reschedule.ts'

export function createSystemMails({ sealer }: { sealer: Sealer }): SystemMails {
  return {
    queue: (tx, mail) => queueMail(tx, sealer, mail),
    cancel: cancelMail,
    outcomes: readOutcomes,
  }
}

/** Makes a delivery that a worker claims, sends and records like any other. */
async function queueMail(tx: Tx, sealer: Sealer, mail: SystemMail): Promise<boolean> {
  const { key, org_id, to } = mail
  const id = newId('dlv')
  const destination_key = mailKey({ org_id }, to)
  const added = await tx.query(sql`
    insert into notifications.deliveries (id, org_id, destination_key, kind, message_key, message, state, next_at,
      created_at)
    values (${id}, ${org_id}, ${destination_key}, 'email', ${key}, ${sealContent(sealer, id, mail)}, 'pending',
      clock_timestamp(), clock_timestamp())
    on conflict (message_key) do nothing
    returning id`)
  if (added.length === 0) return false
  await wakeDestinations(tx, [{ destination_key, org_id, kind: 'email' }])
  return true
}

async function cancelMail(tx: Tx, key: string, reason: string): Promise<void> {
  const [found] = await tx.query<{ destination_key: string }>(sql`
    select destination_key from notifications.deliveries where message_key = ${key}`)
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

import type { Db, Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { LeavingPerson } from '#ports/eraser.ts'
import { lockDestinations } from '../store/lock.ts'
import { rescheduleDestinations } from '../store/reschedule.ts'

/** These statements read whole tables: addresses have no index of their own, and people are deleted rarely. */
const LONG = { timeoutMs: 10 * 60_000 }

/** Deletes what the person chose and received, and channels that are their address. */
export async function deleteOfPerson(db: Db, { id, email }: LeavingPerson): Promise<void> {
  await db.tx(async (tx) => {
    await tx.query(sql`delete from notifications.inbox where user_id = ${id}`)
    await tx.query(sql`delete from notifications.follows where user_id = ${id}`)
    await tx.query(sql`delete from notifications.follow_links where user_id = ${id}`)
    await tx.query(sql`delete from notifications.subscriptions where user_id = ${id}`)
    await tx.query(sql`delete from notifications.chat_links where user_id = ${id}`)
    await tx.query(sql`delete from notifications.chat_flows where user_id = ${id}`)
    await tx.query(sql`
      delete from notifications.channels where kind = 'email' and lower(settings ->> 'address') = lower(${email})`)
  }, LONG)
}

/** Returns the keys of all destinations that are this address, in any organization and outside of them. */
export async function findAddressKeys(db: Db, email: string): Promise<readonly string[]> {
  const address = email.toLowerCase()
  const rows = await db.tx(
    (tx) =>
      tx.query<{ key: string }>(sql`
        select key from notifications.destinations where key = concat('email:', split_part(key, ':', 2), ':', ${address}::text)
        union select destination_key from notifications.notifications
        where destination_key = concat('email:', split_part(destination_key, ':', 2), ':', ${address}::text)
        union select destination_key from notifications.deliveries
        where destination_key = concat('email:', split_part(destination_key, ':', 2), ':', ${address}::text)`),
    { ...LONG, readOnly: true },
  )
  return rows.map(({ key }) => key).sort()
}

/** Ends what still waits to be sent to these destinations. */
export async function dropMailsTo(db: Db, keys: readonly string[]): Promise<void> {
  await db.tx(async (tx) => {
    await lockDestinations(tx, keys)
    await tx.query(sql`
      update notifications.deliveries
      set state = 'dropped', reason = 'destination_gone', message = null, next_at = null, ended_at = clock_timestamp()
      where destination_key = any(${keys}::text[]) and state = 'pending'`)
    await tx.query(sql`
      update notifications.notifications set dropped_reason = 'destination_gone'
      where destination_key = any(${keys}::text[]) and delivery_id is null and dropped_reason is null`)
    await rescheduleDestinations(tx, keys)
  }, LONG)
}

export async function isSendingTo(db: Querier, keys: readonly string[]): Promise<boolean> {
  const rows = await db.query(sql`
    select from notifications.deliveries where destination_key = any(${keys}::text[]) and state = 'sending' limit 1`)
  return rows.length > 0
}

/** In the ledger, puts the id of the person in the place of their address. */
export async function renameKeys(db: Db, keys: readonly string[], { id }: LeavingPerson): Promise<void> {
  await db.tx(async (tx) => {
    await tx.query(sql`
      update notifications.notifications set destination_key = concat('email:', split_part(destination_key, ':', 2), ':', ${id}::text)
      where destination_key = any(${keys}::text[])`)
    await tx.query(sql`
      update notifications.deliveries set destination_key = concat('email:', split_part(destination_key, ':', 2), ':', ${id}::text), message = null
      where destination_key = any(${keys}::text[])`)
    await tx.query(sql`delete from notifications.destinations where key = any(${keys}::text[])`)
  }, LONG)
}

export async function forgetAddress(db: Db, email: string): Promise<void> {
  await db.tx(async (tx) => {
    await tx.query(sql`delete from notifications.mailbox where lower(recipient) = lower(${email})`)
    await tx.query(sql`delete from notifications.confirmation_mails where address = lower(${email})`)
    await tx.query(sql`delete from notifications.unsubscribed_addresses where address = lower(${email})`)
    await tx.query(sql`delete from notifications.former_unsubscribe_links where address = lower(${email})`)
    await tx.query(sql`delete from notifications.refusal_links where address = lower(${email})`)
    await tx.query(sql`delete from notifications.refused_organizations where address = lower(${email})`)
  }, LONG)
}

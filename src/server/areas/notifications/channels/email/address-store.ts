import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

export const MAX_ADDRESSES = 50
const MAX_CONFIRMATION_MAILS_PER_DAY = 3
const DAY_MS = 24 * 3600_000

/** `isByMembership`: nobody confirmed the address by a link. */
type ExistingAddress = { id: string; isActive: boolean; isByMembership: boolean }

export async function findByAddress(db: Querier, orgId: string, address: string): Promise<ExistingAddress | undefined> {
  const [row] = await db.query<{ id: string; state: string; confirmed_at: string | null }>(sql`
    select id, state, settings ->> 'confirmed_at' as confirmed_at from notifications.channels
    where org_id = ${orgId} and kind = 'email' and lower(settings ->> 'address') = ${address.toLowerCase()}`)
  return row && { id: row.id, isActive: row.state === 'active', isByMembership: row.confirmed_at === null }
}

export async function activateForMember(tx: Tx, id: string, memberId: string): Promise<void> {
  await tx.query(sql`
    update notifications.channels
    set state = 'active', settings = settings || ${JSON.stringify({ member_id: memberId })}::jsonb
    where id = ${id}`)
}

/** The person is not a member any more, so the address needs a confirmation. */
export async function endMembership(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`
    update notifications.channels set state = 'unconfirmed', settings = settings - 'member_id' where id = ${id}`)
}

/**
 * Counts a confirmation mail to the address. Returns undefined if it may be sent, else the seconds until the next one
 * may. Two organizations that ask at once are counted one after the other.
 */
export async function countConfirmationMail(tx: Tx, address: string, now: Date): Promise<number | undefined> {
  const key = address.toLowerCase()
  const dayAgo = new Date(now.getTime() - DAY_MS)
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`confirmation mails ${key}`}, 0))`)
  const mailed = await tx.query<{ mailed_at: Date }>(sql`
    select mailed_at from notifications.confirmation_mails
    where address = ${key} and mailed_at > ${dayAgo} order by mailed_at`)
  if (mailed.length >= MAX_CONFIRMATION_MAILS_PER_DAY) {
    const { mailed_at } = mailed.at(-MAX_CONFIRMATION_MAILS_PER_DAY)!
    return Math.ceil((mailed_at.getTime() + DAY_MS - now.getTime()) / 1000)
  }
  await tx.query(sql`delete from notifications.confirmation_mails where mailed_at <= ${dayAgo}`)
  await tx.query(sql`insert into notifications.confirmation_mails (address, mailed_at) values (${key}, ${now})`)
  return undefined
}

type Confirmation = { channelId: string; digest: Buffer }
type NewConfirmation = Confirmation & { expiresAt: Date }

/** A former link of the same channel ends. */
export async function saveConfirmation(tx: Tx, { channelId, digest, expiresAt }: NewConfirmation): Promise<void> {
  await tx.query(sql`
    insert into notifications.email_confirmations (channel_id, digest, expires_at)
    values (${channelId}, ${digest}, ${expiresAt})
    on conflict (channel_id) do update set digest = excluded.digest, expires_at = excluded.expires_at`)
}

/** The address that a link confirms; undefined when the link is unknown, used or expired. */
export async function findConfirmation(db: Querier, digest: Buffer, now: Date) {
  const [row] = await db.query<{ channel_id: string; org_id: string; address: string }>(sql`
    select channel_id, org_id, settings ->> 'address' as address
    from notifications.email_confirmations as confirmation
    join notifications.channels as channel on channel.id = channel_id
    where digest = ${digest} and expires_at > ${now}`)
  return row
}

/** Ends the link and activates its channel. Returns false when another request used the link first. */
export async function useConfirmation(tx: Tx, { channelId, digest }: Confirmation, now: Date): Promise<boolean> {
  // The channel first: deleting it locks it before its confirmation too.
  await tx.query(sql`select from notifications.channels where id = ${channelId} for update`)
  const used = await tx.query(sql`
    delete from notifications.email_confirmations where digest = ${digest} and expires_at > ${now} returning channel_id`)
  if (used.length === 0) return false
  await tx.query(sql`
    update notifications.channels
    set state = 'active', settings = (settings - 'member_id') || jsonb_build_object('confirmed_at', ${now}::timestamptz)
    where id = ${channelId}`)
  return true
}

import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

type OrganizationAddress = { readonly org_id: string; readonly address: string }

/** Whether the person behind the address wants to be asked nothing more by the organization. */
export async function hasRefused(db: Querier, { org_id, address }: OrganizationAddress): Promise<boolean> {
  const rows = await db.query(sql`
    select from notifications.refused_organizations where org_id = ${org_id} and address = ${address.toLowerCase()}`)
  return rows.length > 0
}

/** Saves the link of a mail and deletes those of mails that are older than a year. */
export async function saveRefusalLink(
  tx: Tx,
  { digest, org_id, address, now }: OrganizationAddress & { digest: Buffer; now: Date },
): Promise<void> {
  await tx.query(
    sql`delete from notifications.refusal_links where created_at < ${now}::timestamptz - interval '1 year'`,
  )
  await tx.query(sql`
    insert into notifications.refusal_links (digest, org_id, address, created_at)
    values (${digest}, ${org_id}, ${address.toLowerCase()}, ${now})`)
}

export async function hasRefusalLink(db: Querier, digest: Buffer): Promise<boolean> {
  return (await db.query(sql`select from notifications.refusal_links where digest = ${digest}`)).length > 0
}

/** Keeps the organization from asking the address again, and ends what it asked. Returns false for an unknown link. */
export async function refuseByDigest(tx: Tx, digest: Buffer): Promise<boolean> {
  const [link] = await tx.query<OrganizationAddress>(sql`
    select org_id, address from notifications.refusal_links where digest = ${digest}`)
  if (!link) return false
  const { org_id, address } = link
  await tx.query(sql`
    insert into notifications.refused_organizations (org_id, address, refused_at)
    values (${org_id}, ${address}, clock_timestamp())
    on conflict do nothing`)
  await tx.query(sql`
    delete from notifications.email_confirmations using notifications.channels as channel
    where channel.id = channel_id and channel.org_id = ${org_id} and kind = 'email'
      and lower(settings ->> 'address') = ${address}`)
  return true
}

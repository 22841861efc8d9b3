import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

type LinkKey = { hash: Buffer; epoch: string }
export type LinkRow = {
  browser_hash: Buffer
  email: string
  return_to: string
  sealed_return_to: string | null
  expires_at: Date
}

/** Inserts a link and deletes the expired ones. */
export async function insertLink(tx: Tx, link: LinkRow & LinkKey & { now: Date }): Promise<void> {
  await tx.query(sql`
    with gone as (delete from auth.mailed_links where expires_at <= ${link.now})
    insert into auth.mailed_links (hash, epoch, browser_hash, email, return_to, sealed_return_to, expires_at)
    values (${link.hash}, ${link.epoch}, ${link.browser_hash}, ${link.email}, ${link.return_to},
            ${link.sealed_return_to}, ${link.expires_at})`)
}

export async function findLink(db: Querier, { hash, epoch }: LinkKey): Promise<LinkRow | undefined> {
  const [row] = await db.query<LinkRow>(sql`
    select browser_hash, email, return_to, sealed_return_to, expires_at from auth.mailed_links
    where hash = ${hash} and epoch = ${epoch}`)
  return row
}

/** Deletes and returns a link in one statement, so that only one of concurrent requests gets it. */
export async function takeLink(db: Querier, { hash, epoch }: LinkKey): Promise<LinkRow | undefined> {
  const [row] = await db.query<LinkRow>(sql`
    delete from auth.mailed_links where hash = ${hash} and epoch = ${epoch}
    returning browser_hash, email, return_to, sealed_return_to, expires_at`)
  return row
}

/**
 * Whether a mailed link may sign this address in: it is that of a member of some organization or of an open invitation,
 * and not of a user whom an identity provider knows or who is a program. Somebody who was removed from all could otherwise create one.
 */
export async function maySignInByLink(
  tx: Tx,
  { email, epoch, now }: { email: string; epoch: string; now: Date },
): Promise<boolean> {
  const [row] = await tx.query<{ is_member: boolean; is_bound: boolean; is_program: boolean; is_invited: boolean }>(sql`
    select
      exists (select from auth.memberships m join auth.users u on u.id = m.user_id where u.email = ${email}) as is_member,
      exists (select from auth.identities i join auth.users u on u.id = i.user_id where u.email = ${email}) as is_bound,
      exists (select from auth.users where email = ${email} and is_program) as is_program,
      exists (
        select from auth.invitations
        where email = ${email} and epoch = ${epoch} and accepted_at is null and revoked_at is null
          and expires_at > ${now}
      ) as is_invited`)
  return !row!.is_bound && !row!.is_program && (row!.is_member || row!.is_invited)
}

/** Runs `write` and undoes it unless `isWanted`, so that both cases take the same time. */
export async function writeOrUndo(tx: Tx, isWanted: boolean, write: () => Promise<unknown>): Promise<void> {
  await tx.query(sql`savepoint before_write`)
  await write()
  await tx.query(isWanted ? sql`release savepoint before_write` : sql`rollback to savepoint before_write`)
}

/** Returns false if the address of this user was confirmed before. */
export async function confirmEmail(tx: Tx, userId: string, now: Date): Promise<boolean> {
  const rows = await tx.query(sql`
    update auth.users set email_confirmed_at = ${now}
    where id = ${userId} and email_confirmed_at is null returning id`)
  return rows.length === 1
}

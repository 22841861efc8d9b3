import type { Role } from '#contract/core/roles.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

type SessionRow = {
  id: string
  user_id: string
  org_id: string | null
  role: Role | null
  created_at: Date
  last_seen_at: Date
}

/** Where a person signed in: the browser and its system as it calls itself, and its address. */
export type SessionPlace = { readonly signed_in_with: string | null; readonly signed_in_from: string | null }

type Insert = { id: string; hash: Buffer; epoch: string; user_id: string; org_id: string | null; now: Date }

export async function insertSession(tx: Tx, session: Insert, place: SessionPlace): Promise<void> {
  await tx.query(sql`
    insert into auth.sessions (id, hash, epoch, user_id, org_id, created_at, last_seen_at, signed_in_with, signed_in_from)
    values (${session.id}, ${session.hash}, ${session.epoch}, ${session.user_id}, ${session.org_id},
            ${session.now}, ${session.now}, ${place.signed_in_with}, ${place.signed_in_from})`)
}

/** Finds a session that was not ended, with the user's current role in its organization (null if they left it). */
export async function findSession(
  db: Querier,
  key: { hash: Buffer } | { id: string },
  epoch: string,
): Promise<SessionRow | undefined> {
  const which = 'hash' in key ? sql`s.hash = ${key.hash}` : sql`s.id = ${key.id}`
  const [row] = await db.query<SessionRow>(sql`
    select s.id, s.user_id, s.org_id, m.role, s.created_at, s.last_seen_at
    from auth.sessions s
    left join auth.memberships m on m.org_id = s.org_id and m.user_id = s.user_id
    where ${which} and s.epoch = ${epoch} and s.ended_at is null`)
  return row
}

export async function touchSession(db: Querier, id: string, now: Date): Promise<void> {
  await db.query(sql`update auth.sessions set last_seen_at = ${now} where id = ${id}`)
}

export async function endSessionRow(db: Querier, id: string, now: Date): Promise<void> {
  await db.query(sql`update auth.sessions set ended_at = ${now} where id = ${id} and ended_at is null`)
}

type SessionSummary = SessionPlace & { id: string; org_name: string | null; created_at: Date; last_seen_at: Date }

/** Lists the sessions of a person that did not end and were used after `idleSince`, the one used last first. */
export async function listSessionsOf(
  db: Querier,
  { userId, epoch, idleSince, startedSince }: { userId: string; epoch: string; idleSince: Date; startedSince: Date },
): Promise<SessionSummary[]> {
  return db.query(sql`
    select s.id, o.name as org_name, s.created_at, s.last_seen_at, s.signed_in_with, s.signed_in_from
    from auth.sessions s left join auth.orgs o on o.id = s.org_id
    where s.user_id = ${userId} and s.epoch = ${epoch} and s.ended_at is null
      and s.last_seen_at > ${idleSince} and s.created_at > ${startedSince}
    order by s.last_seen_at desc, s.id desc limit 100`)
}

/** Returns false if the person has no such session, or it has ended. */
export async function endSessionOf(db: Querier, userId: string, id: string, now: Date): Promise<boolean> {
  const rows = await db.query(sql`
    update auth.sessions set ended_at = ${now}
    where id = ${id} and user_id = ${userId} and ended_at is null returning id`)
  return rows.length > 0
}

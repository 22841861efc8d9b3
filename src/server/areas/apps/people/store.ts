import { type AppPart, partsFrom } from '#contract/core/roles.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { PartHolder } from '#ports/people.ts'

export type PersonRow = { app_id: string; user_id: string; part: AppPart; added_by: string; added_at: Date }

export async function listPeople(db: Querier, appId: string): Promise<PersonRow[]> {
  return db.query(sql`
    select app_id, user_id, part, added_by, added_at from apps.people where app_id = ${appId} order by added_at, user_id`)
}

/** As `listPeople`, without trusting that the app belongs to the organization. */
export async function listHolders(db: Querier, orgId: string, appId: string): Promise<PartHolder[]> {
  return db.query(sql`
    select person.user_id, person.part
    from apps.people person join apps.apps app on app.id = person.app_id
    where app.id = ${appId} and app.org_id = ${orgId}
    order by person.user_id`)
}

/** Gives the person the part, in place of the one they have. A changed part keeps the time when the person was added. */
export async function savePart(tx: Tx, person: PersonRow): Promise<PersonRow> {
  const [row] = await tx.query<PersonRow>(sql`
    insert into apps.people (app_id, user_id, part, added_by, added_at)
    values (${person.app_id}, ${person.user_id}, ${person.part}, ${person.added_by}, ${person.added_at})
    on conflict (app_id, user_id) do update set part = excluded.part
    returning app_id, user_id, part, added_by, added_at`)
  return row!
}

export async function deletePart(tx: Tx, appId: string, userId: string): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from apps.people where app_id = ${appId} and user_id = ${userId} returning user_id`)
  return rows.length === 1
}

type PartLookup = { orgId: string; alias: string; userId: string; part: AppPart }

export async function holdsPart(db: Querier, { orgId, alias, userId, part }: PartLookup): Promise<boolean> {
  const rows = await db.query(sql`
    select from apps.people person join apps.apps app on app.id = person.app_id
    where app.org_id = ${orgId} and app.alias = ${alias} and person.user_id = ${userId}
      and person.part = any(${partsFrom(part)}::text[])`)
  return rows.length > 0
}

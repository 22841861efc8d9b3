import type { Role } from '#contract/core/roles.ts'
import type { Querier } from '#lib/db/db.ts'
import { type Sql, sql } from '#lib/db/sql.ts'
import { containsText, nearestFirst } from '#lib/db/text-match.ts'

export type MemberFilter =
  | { roles: readonly Role[] }
  | { userIds: readonly string[] }
  | { email: string }
  | { text: string; limit: number }
/** A member without a name is found by their address. */
const NAMES = [sql`coalesce(u.name, '')`, sql`u.email`]

type MemberRow = { user_id: string; email: string; name: string | null; role: Role }

/** Returns undefined when there is no such organization. */
export async function selectMembers(
  db: Querier,
  orgId: string,
  filter: MemberFilter,
): Promise<MemberRow[] | undefined> {
  const matches = conditionOf(filter)
  const rows = await db.query<{ [Column in keyof MemberRow]: MemberRow[Column] | null }>(sql`
    select u.id as user_id, u.email, u.name, m.role
    from auth.orgs o
    left join (auth.memberships m join auth.users u on u.id = m.user_id) on m.org_id = o.id and ${matches}
    where o.id = ${orgId}
    order by ${orderOf(filter)}`)
  return rows.length === 0 ? undefined : rows.filter(isMember)
}

function conditionOf(filter: MemberFilter): Sql {
  if ('roles' in filter) return sql`m.role = any(${filter.roles}::text[])`
  if ('userIds' in filter) return sql`m.user_id = any(${filter.userIds}::text[])`
  if ('text' in filter) return sql`(${containsText(NAMES, filter.text)} or u.id = ${filter.text})`
  return sql`lower(u.email) = lower(${filter.email})`
}

/** Also ends the statement, because only a search is limited. */
function orderOf(filter: MemberFilter): Sql {
  if ('text' in filter) return sql`${nearestFirst(NAMES, filter.text)}, u.id limit ${filter.limit}`
  return sql`u.id`
}

/** The row of an organization without matching members has no user. */
function isMember(row: { user_id: string | null }): row is MemberRow {
  return row.user_id !== null
}

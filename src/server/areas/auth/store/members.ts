import type { Role } from '#contract/core/roles.ts'
import type { PageQuery } from '#edge/route/paging.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { type Sql, sql } from '#lib/db/sql.ts'

export type MemberRow = {
  id: string
  email: string
  name: string | null
  role: Role
  joined_at: Date
  has_signed_in: boolean
}
type OrgOfUser = { id: string; name: string; slug: string; created_at: Date; role: Role }

const MEMBER = sql`u.id, u.email, u.name, m.role, m.created_at as joined_at,
  coalesce(u.first_signed_in_at, u.email_confirmed_at) is not null as has_signed_in`

export async function pageMembers(db: Querier, orgId: string, { before, limit }: PageQuery): Promise<MemberRow[]> {
  return db.query<MemberRow>(sql`
    select ${MEMBER} from auth.memberships m join auth.users u on u.id = m.user_id
    where m.org_id = ${orgId} and (${before}::text is null or u.id < ${before})
    order by u.id desc limit ${limit + 1}`)
}

/** Locks the owners' rows in a fixed order, so that two owners cannot both step down at the same time. */
export async function lockOwners(tx: Tx, orgId: string): Promise<string[]> {
  const rows = await tx.query<{ user_id: string }>(sql`
    select user_id from auth.memberships where org_id = ${orgId} and role = 'owner' order by user_id for update`)
  return rows.map((row) => row.user_id)
}

/** Locks a membership. Returns undefined if the user is no member. */
export async function lockRole(tx: Tx, orgId: string, userId: string): Promise<Role | undefined> {
  const [row] = await tx.query<{ role: Role }>(sql`
    select role from auth.memberships where org_id = ${orgId} and user_id = ${userId} for update`)
  return row?.role
}

export async function updateRole(tx: Tx, orgId: string, userId: string, role: Role): Promise<MemberRow | undefined> {
  const [row] = await tx.query<MemberRow>(sql`
    with m as (
      update auth.memberships set role = ${role} where org_id = ${orgId} and user_id = ${userId} returning *
    )
    select ${MEMBER} from m join auth.users u on u.id = m.user_id`)
  return row
}

/**
 * Deletes a membership and with it its tokens. Records the departure, so that the user's email domain does not let them
 * rejoin.
 */
export async function deleteMember(tx: Tx, orgId: string, userId: string): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from auth.memberships where org_id = ${orgId} and user_id = ${userId} returning user_id`)
  if (rows.length === 0) return false
  await tx.query(sql`
    insert into auth.departures (org_id, user_id) values (${orgId}, ${userId}) on conflict do nothing`)
  return true
}

/** Lists the organizations of a user, or with `only` that one of them. */
export async function pageOrgsOf(
  db: Querier,
  userId: string,
  { before, limit, only = null }: PageQuery & { only?: string | null },
): Promise<OrgOfUser[]> {
  return db.query<OrgOfUser>(sql`
    select o.id, o.name, o.slug, o.created_at, m.role
    from auth.memberships m join auth.orgs o on o.id = m.org_id
    where m.user_id = ${userId} and (${before}::text is null or o.id < ${before})
      and (${only}::text is null or o.id = ${only})
    order by o.id desc limit ${limit + 1}`)
}

type MeRow = { email: string | null; name: string | null; org_name: string | null; slug: string | null }

export async function findMe(db: Querier, userId: string | null, orgId: string | null): Promise<MeRow> {
  const [row] = await db.query<MeRow>(sql`
    select u.email, u.name, o.name as org_name, o.slug
    from (select) as one
    left join auth.users u on u.id = ${userId}
    left join auth.orgs o on o.id = ${orgId}`)
  return row!
}

type AuditRow = {
  id: string
  org_id: string | null
  actor: string
  actor_name: string | null
  action: string
  target: string
  detail: Record<string, unknown>
  at: Date
}

/** Sessions of vendor staff, and what vendor staff did: their actor is `<email> (<session>)`, see `actorOf`. */
const OF_SUPPORT = sql`and (action like 'support.%' or actor like '% (sup\\_%)')`

type OrgAudit = {
  readonly org_id: string
  readonly isOfSupport: boolean
  readonly subject?: string | undefined
  readonly user_id?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

function ofOrg({ org_id, isOfSupport, ...filter }: OrgAudit): Sql {
  const [subject, person] = [filter.subject ?? null, filter.user_id ?? null]
  const [from, to] = [filter.from ?? null, filter.to ?? null]
  return sql`entry.org_id = ${org_id} ${isOfSupport ? OF_SUPPORT : sql``}
      and (${subject}::text is null or split_part(entry.action, '.', 1) = ${subject})
      and (${person}::text is null or coalesce(token.user_id, entry.actor) = ${person})
      and (${from}::timestamptz is null or entry.at >= ${from})
      and (${to}::timestamptz is null or entry.at < ${to})`
}

/**
 * Lists the audit entries of one organization, or of one actor across organizations. `isOfSupport`: only those about
 * support access.
 */
export async function pageAudit(
  db: Querier,
  filter: OrgAudit | { actor: string },
  { before, limit }: PageQuery,
): Promise<AuditRow[]> {
  const condition = 'org_id' in filter ? ofOrg(filter) : sql`actor = ${filter.actor}`
  return db.query<AuditRow>(sql`
    select entry.id, entry.org_id, entry.actor, coalesce(person.name, split_part(person.email, '@', 1)) as actor_name,
      entry.action, entry.target, entry.detail, entry.at
    from svc.audit entry
    left join auth.api_tokens token on token.id = entry.actor
    left join auth.users person on person.id = coalesce(token.user_id, entry.actor)
    where ${condition} and (${before}::text is null or entry.id < ${before})
    order by entry.id desc limit ${limit + 1}`)
}

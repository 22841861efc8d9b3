import type { Role } from '#contract/core/roles.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

export type OrgRow = { id: string; name: string; slug: string; created_at: Date }
type UserRow = { id: string; email: string; name: string | null }
type TokenRow = { id: string; org_id: string; user_id: string; role: Role; expires_at: Date | null }

/** Undefined when the slug is taken. */
export async function insertOrg(tx: Tx, org: OrgRow): Promise<OrgRow | undefined> {
  const [row] = await tx.query<OrgRow>(sql`
    insert into auth.orgs (id, name, slug, created_at)
    values (${org.id}, ${org.name}, ${org.slug}, ${org.created_at})
    on conflict (slug) do nothing
    returning id, name, slug, created_at`)
  return row
}

/** How many organizations hold the slug, plain or numbered. */
export async function countSlugs(tx: Tx, slug: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*) from auth.orgs where slug = ${slug} or slug ~ ${`^${slug}-[0-9]+$`}`)
  return row!.count
}

export async function findOrg(tx: Querier, id: string): Promise<OrgRow | undefined> {
  const [row] = await tx.query<OrgRow>(sql`select id, name, slug, created_at from auth.orgs where id = ${id}`)
  return row
}

/** Answers the domains that were free; one organization per domain. */
export async function insertDomains(tx: Tx, orgId: string, domains: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ domain: string }>(sql`
    insert into auth.org_domains (domain, org_id)
    select distinct domain, ${orgId} from unnest(${domains}::text[]) as domain
    on conflict do nothing
    returning domain`)
  return rows.map((row) => row.domain)
}

export async function listDomains(tx: Tx, orgId: string): Promise<string[]> {
  const rows = await tx.query<{ domain: string }>(sql`
    select domain from auth.org_domains where org_id = ${orgId} order by domain`)
  return rows.map((row) => row.domain)
}

export async function deleteDomainsBut(tx: Tx, orgId: string, kept: readonly string[]): Promise<void> {
  await tx.query(sql`delete from auth.org_domains where org_id = ${orgId} and domain <> all(${kept}::text[])`)
}

/** The person with this email, made if there is none; who exists keeps their name. */
export async function ensureUser(tx: Tx, user: UserRow & { created_at: Date }): Promise<UserRow> {
  const [row] = await tx.query<UserRow>(sql`
    insert into auth.users (id, email, name, created_at)
    values (${user.id}, ${user.email}, ${user.name}, ${user.created_at})
    on conflict (email) do update set email = excluded.email
    returning id, email, name`)
  return row!
}

/** Who is a member stays as they are; the role answered is the one that holds. */
export async function ensureMember(
  tx: Tx,
  member: { org_id: string; user_id: string; role: Role; created_at: Date },
): Promise<Role> {
  const [row] = await tx.query<{ role: Role }>(sql`
    insert into auth.memberships as held (org_id, user_id, role, created_at)
    values (${member.org_id}, ${member.user_id}, ${member.role}, ${member.created_at})
    on conflict (org_id, user_id) do update set role = held.role
    returning role`)
  return row!.role
}

/** Locks the person, so that two requests at once cannot both be the tenth. */
export async function countOwned(tx: Tx, userId: string): Promise<number> {
  await tx.query(sql`select from auth.users where id = ${userId} for update`)
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*) from auth.memberships where user_id = ${userId} and role = 'owner'`)
  return row!.count
}

type NewToken = {
  id: string
  org_id: string
  user_id: string
  name: string
  hash: Buffer
  epoch: string
  created_at: Date
  expires_at: Date | null
}

export async function insertToken(tx: Tx, token: NewToken): Promise<void> {
  await tx.query(sql`
    insert into auth.api_tokens (id, org_id, user_id, name, hash, epoch, created_at, expires_at)
    values (${token.id}, ${token.org_id}, ${token.user_id}, ${token.name}, ${token.hash}, ${token.epoch},
            ${token.created_at}, ${token.expires_at})`)
}

/** A token that is good now, with its maker's role of now. */
export async function findLiveToken(
  db: Querier,
  hash: Buffer,
  epoch: string,
  now: Date,
): Promise<TokenRow | undefined> {
  const [row] = await db.query<TokenRow>(sql`
    select t.id, t.org_id, t.user_id, m.role, t.expires_at
    from auth.api_tokens t
    join auth.memberships m using (org_id, user_id)
    where t.hash = ${hash} and t.epoch = ${epoch} and t.revoked_at is null
      and (t.expires_at is null or t.expires_at > ${now})`)
  return row
}

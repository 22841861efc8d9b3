import { notFound } from '#contract/core/errors.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

export type OrgRow = { id: string; name: string; slug: string; created_at: Date }

/** Returns undefined if the slug is taken. */
export async function insertOrg(tx: Tx, org: OrgRow): Promise<OrgRow | undefined> {
  const [row] = await tx.query<OrgRow>(sql`
    insert into auth.orgs (id, name, slug, created_at)
    values (${org.id}, ${org.name}, ${org.slug}, ${org.created_at})
    on conflict (slug) do nothing
    returning id, name, slug, created_at`)
  return row
}

/** Counts the organizations with this slug, with or without a number. */
export async function countSlugs(tx: Tx, slug: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*) from auth.orgs where slug = ${slug} or slug ~ ${`^${slug}-[0-9]+$`}`)
  return row!.count
}

export async function findOrg(db: Querier, id: string): Promise<OrgRow | undefined> {
  const [row] = await db.query<OrgRow>(sql`select id, name, slug, created_at from auth.orgs where id = ${id}`)
  return row
}

export async function requireOrg(db: Querier, id: string): Promise<OrgRow> {
  const org = await findOrg(db, id)
  if (!org) throw notFound('organization')
  return org
}

/** As `requireOrg`. Nobody changes the organization until the transaction ends. */
export async function lockOrg(tx: Tx, id: string): Promise<OrgRow> {
  const [row] = await tx.query<OrgRow>(sql`
    select id, name, slug, created_at from auth.orgs where id = ${id} for no key update`)
  if (!row) throw notFound('organization')
  return row
}

export async function updateOrgName(tx: Tx, id: string, name: string): Promise<void> {
  await tx.query(sql`update auth.orgs set name = ${name} where id = ${id}`)
}

/** Returns the domains that were added. A domain belongs to one organization at most, so taken ones are skipped. */
export async function insertDomains(tx: Tx, orgId: string, domains: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ domain: string }>(sql`
    insert into auth.org_domains (domain, org_id)
    select distinct domain, ${orgId} from unnest(${domains}::text[]) as domain
    on conflict do nothing
    returning domain`)
  return rows.map((row) => row.domain)
}

export async function listDomains(db: Querier, orgId: string): Promise<string[]> {
  const rows = await db.query<{ domain: string }>(sql`
    select domain from auth.org_domains where org_id = ${orgId} order by domain`)
  return rows.map((row) => row.domain)
}

export async function deleteDomainsExcept(tx: Tx, orgId: string, domains: readonly string[]): Promise<void> {
  await tx.query(sql`delete from auth.org_domains where org_id = ${orgId} and domain <> all(${domains}::text[])`)
}

import pg from 'pg'
import { ServiceError } from '#contract/core/errors.ts'
import type { Tx } from '#lib/db/db.ts'
import { identifier, script, sql } from '#lib/db/sql.ts'
import type { ResolvedEntry } from '../search/entry.ts'
import type { ManagedDb } from './catalogue.ts'

const GRANT_LIMIT_MS = 10_000

export async function readerRole(reader: ManagedDb): Promise<string> {
  const [row] = await reader.query<{ name: string }>(sql`select current_user::pg_catalog.text as name`)
  return row!.name
}

/** Grants what these entries need and revokes nothing, so that questions go on meanwhile. */
export async function addGrants(owner: ManagedDb, reader: string, entries: readonly ResolvedEntry[]): Promise<void> {
  await change(owner, (tx) => grant(tx, reader, entries))
}

/** Grants the reader what these entries need and revokes everything else, in one transaction. */
export async function setGrants(owner: ManagedDb, reader: string, entries: readonly ResolvedEntry[]): Promise<void> {
  await change(owner, (tx) => grantOnly(tx, reader, entries))
}

/** Grants the role what these entries need and revokes everything else of it. */
export async function grantOnly(tx: Tx, role: string, entries: readonly ResolvedEntry[]): Promise<void> {
  await tx.query(sql`select pg_catalog.set_config('search_path', 'pg_catalog', true)`)
  for (const object of await grantedObjects(tx, role)) {
    await tx.query(script(`revoke all on ${object} from ${identifier(role).text} cascade`))
  }
  await grant(tx, role, entries)
}

async function change(owner: ManagedDb, work: (tx: Tx) => Promise<void>): Promise<void> {
  try {
    await owner.tx(work, { timeoutMs: GRANT_LIMIT_MS })
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error
    throw new ServiceError('CONFLICT', 'The tables changed while the configuration was being saved. Save it again.', {
      cause: error,
    })
  }
}

async function grant(tx: Tx, reader: string, entries: readonly ResolvedEntry[]): Promise<void> {
  const role = identifier(reader).text
  for (const schema of new Set(entries.flatMap((entry) => [entry.schema, entry.extension_schema]))) {
    await tx.query(script(`grant usage on schema ${identifier(schema).text} to ${role}`))
  }
  for (const entry of entries) {
    const columns = columnsOf(entry).map((name) => identifier(name).text)
    const table = identifier(entry.schema, entry.table).text
    await tx.query(script(`grant select (${columns.join(', ')}) on table ${table} to ${role}`))
  }
}

function columnsOf({ vector_column, content, filters }: ResolvedEntry): string[] {
  return [...new Set([vector_column, ...content.map(({ name }) => name), ...Object.keys(filters)])]
}

/** Finds the tables, sequences and schemas on which the reader has rights, as GRANT names them. */
async function grantedObjects(tx: Tx, reader: string): Promise<string[]> {
  const rows = await tx.query<{ kind: string; names: string[] }>(sql`
    with reader as (select oid from pg_catalog.pg_roles where rolname = ${reader}::text)
    select case c.relkind when 'S' then 'sequence' else 'table' end as kind,
           array[n.nspname::text, c.relname::text] as names
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace, reader
    where pg_catalog.pg_has_role(c.relowner, 'usage')
      and (exists (select from pg_catalog.aclexplode(c.relacl) x where x.grantee = reader.oid)
        or exists (select from pg_catalog.pg_attribute a, pg_catalog.aclexplode(a.attacl) x
                   where a.attrelid = c.oid and x.grantee = reader.oid))
    union all
    select 'schema', array[n.nspname::text]
    from pg_catalog.pg_namespace n, reader
    where pg_catalog.pg_has_role(n.nspowner, 'usage')
      and exists (select from pg_catalog.aclexplode(n.nspacl) x where x.grantee = reader.oid)`)
  return rows.map(({ kind, names }) => `${kind} ${identifier(...names).text}`)
}

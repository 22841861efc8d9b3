import type { TableName } from '#contract/data-sources/table-name.ts'
import type { Db, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { Reader } from '../search/reader.ts'
import { isSystemSchema } from './names.ts'

/** A managed database, as its owner or as its reader. */
export type ManagedDb = Pick<Db, 'query' | 'tx'> & Reader

const CATALOGUE_LIMIT_MS = 10_000

export type Catalogue = { readonly tx: Tx; readonly path: readonly string[]; readonly reader: string }

/**
 * Reads the catalogue as the owner, with only pg_catalog in the search path, because the tenant may have made operators
 * and functions of the same names. `path` is the search path of the tenant's own statements.
 */
export async function inCatalogue<T>(
  owner: ManagedDb,
  reader: string,
  look: (catalogue: Catalogue) => Promise<T>,
): Promise<T> {
  return owner.tx(
    async (tx) => {
      const [row] = await tx.query<{ path: string[] }>(sql`
        select pg_catalog.current_schemas(false)::pg_catalog.text[] as path`)
      await tx.query(sql`select pg_catalog.set_config('search_path', 'pg_catalog', true)`)
      return look({ tx, path: row!.path.filter((schema) => !isSystemSchema(schema)), reader })
    },
    { readOnly: true, timeoutMs: CATALOGUE_LIMIT_MS },
  )
}

export type Extension = { schema: string; version: string; grantable: boolean }

export async function findExtension({ tx, reader }: Catalogue): Promise<Extension | undefined> {
  const [row] = await tx.query<Extension>(sql`
    select n.nspname as schema, e.extversion as version, ${schemaGrantable(reader)} as grantable
    from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace
    where e.extname = 'vector'`)
  return row
}

/** Whether the reader may use the schema, or the owner can grant it. */
function schemaGrantable(reader: string) {
  return sql`(pg_catalog.has_schema_privilege(n.oid, 'usage with grant option')
    or pg_catalog.has_schema_privilege(${reader}::name, n.oid, 'usage'))`
}

export type Relation = {
  oid: number
  schema: string
  name: string
  /** https://www.postgresql.org/docs/15/catalog-pg-class.html, relkind */
  kind: string
  temporary: boolean
  owned: boolean
  schema_grantable: boolean
  row_security: boolean
  /** Whether a policy lets the reader see rows. */
  has_policy: boolean
  /** Whether a policy for reading names the reader, and not everybody. */
  names_reader: boolean
  /** Whether policies do not hold for the reader: it owns the table, or its role bypasses them. */
  reader_bypasses: boolean
  /** Whether it is a partition, whose parent may have policies that do not hold for it. */
  partition: boolean
  /** The conditions of all policies for reading, as Postgres writes them. */
  policies: string[]
  /** Whether it is a view that reads with the rights of the role that queries it. */
  invoker: boolean
  open_to_all: boolean
}

export async function findRelation(
  { tx, path, reader }: Catalogue,
  { schema, name }: TableName,
): Promise<Relation | undefined> {
  const schemas = schema === undefined ? path : [schema]
  const [row] = await tx.query<Relation>(sql`
    select c.oid::int8 as oid, n.nspname as schema, c.relname as name, c.relkind as kind,
           c.relpersistence = 't' as temporary,
           pg_catalog.pg_has_role(c.relowner, 'usage') as owned,
           ${schemaGrantable(reader)} as schema_grantable,
           c.relrowsecurity as row_security,
           exists (select from pg_catalog.pg_policy p
                   where p.polrelid = c.oid and p.polpermissive and p.polcmd in ('r', '*')
                     and (0::oid = any(p.polroles) or exists (
                       select from pg_catalog.pg_roles r where r.rolname = ${reader}::text and r.oid = any(p.polroles)))
           ) as has_policy,
           exists (select from pg_catalog.pg_policy p join pg_catalog.pg_roles r on r.oid = any(p.polroles)
                   where p.polrelid = c.oid and p.polcmd in ('r', '*') and r.rolname = ${reader}::text
           ) as names_reader,
           exists (select from pg_catalog.pg_roles r
                   where r.rolname = ${reader}::text and (r.rolsuper or r.rolbypassrls
                     or pg_catalog.pg_has_role(r.oid, c.relowner, 'usage') and not c.relforcerowsecurity)
           ) as reader_bypasses,
           c.relispartition as partition,
           array(select coalesce(pg_catalog.pg_get_expr(p.polqual, p.polrelid), '') from pg_catalog.pg_policy p
                 where p.polrelid = c.oid and p.polcmd in ('r', '*')) as policies,
           exists (select from pg_catalog.pg_options_to_table(c.reloptions) o
                   where case when o.option_name = 'security_invoker' then o.option_value::boolean end) as invoker,
           exists (select from pg_catalog.aclexplode(c.relacl) a
                   where a.grantee = 0 and a.privilege_type = 'SELECT') as open_to_all
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any(${schemas}::text[]) and c.relname = ${name}::text
    order by pg_catalog.array_position(${schemas}::text[], n.nspname::text)
    limit 1`)
  return row
}

/** Finds the prefixes of settings that belong to Postgres or to an extension that this server has. */
export async function findSettingPrefixes({ tx }: Catalogue): Promise<string[]> {
  const rows = await tx.query<{ prefix: string }>(sql`
    select pg_catalog.lower(pg_catalog.split_part(s.name, '.', 1)) as prefix
    from pg_catalog.pg_settings s where pg_catalog.strpos(s.name, '.') > 0
    union select pg_catalog.lower(a.name::text) from pg_catalog.pg_available_extensions a
    union select pg_catalog.lower(e.extname::text) from pg_catalog.pg_extension e`)
  return rows.map(({ prefix }) => prefix)
}

const MAX_LISTED_TABLES = 500

/** Finds tables and views of the owner, for messages. */
export async function findTables({ tx }: Catalogue): Promise<{ schema: string; name: string }[]> {
  return tx.query<{ schema: string; name: string }>(sql`
    select n.nspname as schema, c.relname as name
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and c.relpersistence <> 't'
      and pg_catalog.pg_has_role(c.relowner, 'usage')
      and n.nspname <> 'information_schema' and not pg_catalog.starts_with(n.nspname::text, 'pg_')
    order by n.nspname, c.relname limit ${MAX_LISTED_TABLES}`)
}

export type Column = {
  name: string
  number: number
  /** The declared type, for messages. */
  declared: string
  /** The type under all domains, without a length: a cast to `varchar(3)` would cut what it compares. */
  plain: string
  type: string
  kind: 'vector' | 'builtin' | 'enum' | 'other'
  category: string
  /** The dimensions of a vector; -1 when none are declared. */
  size: number
}

/** Finds the columns with their base types. Of nested domains the outermost declared length counts. */
export async function findColumns({ tx }: Catalogue, oid: number): Promise<Column[]> {
  return tx.query<Column>(sql`
    with recursive down as (
      select a.attname, a.attnum, a.atttypid, a.atttypmod, a.atttypid as at, a.atttypmod as mod
      from pg_catalog.pg_attribute a
      where a.attrelid = ${oid}::oid and a.attnum > 0 and not a.attisdropped
      union all
      select d.attname, d.attnum, d.atttypid, d.atttypmod, t.typbasetype,
             case when d.mod = -1 then t.typtypmod else d.mod end
      from down d join pg_catalog.pg_type t on t.oid = d.at
      where t.typtype = 'd'
    )
    select d.attname as name, d.attnum as number, t.typname as type, t.typcategory as category, d.mod as size,
           pg_catalog.format_type(d.atttypid, d.atttypmod) as declared,
           pg_catalog.format_type(t.oid, -1) as plain,
           case when exists (select from pg_catalog.pg_depend p
                             join pg_catalog.pg_extension e on e.oid = p.refobjid
                             where p.classid = 'pg_catalog.pg_type'::regclass and p.objid = t.oid
                               and p.refclassid = 'pg_catalog.pg_extension'::regclass and e.extname = 'vector')
                then 'vector'
                when t.typtype = 'e' then 'enum'
                when t.typnamespace = 'pg_catalog'::regnamespace then 'builtin'
                else 'other' end as kind
    from down d join pg_catalog.pg_type t on t.oid = d.at
    where t.typtype <> 'd'
    order by d.attnum`)
}

export type Index = { column: number; method: string; operator_class: string }

/** Finds the indexes that any question can use: valid, not partial, with the column first. */
export async function findIndexes({ tx }: Catalogue, oid: number): Promise<Index[]> {
  return tx.query<Index>(sql`
    select i.indkey[0] as "column", m.amname as method, o.opcname as operator_class
    from pg_catalog.pg_index i
    join pg_catalog.pg_class c on c.oid = i.indexrelid
    join pg_catalog.pg_am m on m.oid = c.relam
    join pg_catalog.pg_opclass o on o.oid = i.indclass[0]
    where i.indrelid = ${oid}::oid and i.indisvalid and i.indpred is null`)
}

import pg from 'pg'
import { identifier, literal, type Sql, sql } from '#lib/db/sql.ts'
import type { ResolvedEntry } from './entry.ts'

/*
 * Row-level security filters rows silently, and a table that has it but no policy for the reader shows no rows.
 * An entry saved without it is searched with `row_security` off: Postgres then refuses a statement whose rows a policy
 * would filter. An entry saved with it is searched under its policies, as the warning of its save said.
 */

export function rowSecuritySetting({ row_security }: Pick<ResolvedEntry, 'row_security'>): 'on' | 'off' {
  return row_security ? 'on' : 'off'
}

/** Whether Postgres refused a statement because policies would filter its rows. */
export function isFilteredByPolicy(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '42501' && error.routine === 'check_enable_rls'
}

/**
 * Asks whether the current role can see rows at all. It is a statement of its own, for searches that find nothing: where
 * no policy applies, Postgres does not evaluate other conditions of the same statement.
 */
export function policyStatement(entry: TableEntry): Sql {
  const oid = oidOf(entry)
  return sql`
    select pg_catalog.row_security_active(${oid}) as active, exists (
      select from pg_catalog.pg_policy as policy
      where policy.polrelid = ${oid} and policy.polpermissive and policy.polcmd in ('r', '*')
        and (0::pg_catalog.oid = any(policy.polroles) or exists (
          select from pg_catalog.pg_roles as role
          where role.oid = any(policy.polroles) and pg_catalog.pg_has_role(role.oid, 'usage')))) as has_policy`
}

export type PolicyState = {
  /** Whether policies hold for the current role: not for the owner, nor for roles that bypass row-level security. */
  readonly active: boolean
  /** Whether a policy shows it any rows. */
  readonly has_policy: boolean
}

/**
 * A condition that is false where policies do not hold for the current role. In a search by person it is part of the
 * statement itself, which locks the table: no policy changes between this check and the rows.
 */
export function underPolicies(entry: TableEntry): Sql {
  return sql`pg_catalog.row_security_active(${oidOf(entry)})`
}

type TableEntry = Pick<ResolvedEntry, 'schema' | 'table'>

function oidOf({ schema, table }: TableEntry): Sql {
  return sql`${literal(identifier(schema, table).text)}::pg_catalog.regclass::pg_catalog.oid`
}

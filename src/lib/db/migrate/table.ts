import type { Querier, Tx } from '../db.ts'
import { script, sql } from '../sql.ts'
import type { Migration } from './file.ts'
import type { Applied } from './plan.ts'

/** Reads the applied migrations, also of a database that has no table of them yet, or one without verdicts. */
export async function readApplied(db: Querier): Promise<Applied[]> {
  const [table] = await db.query<{ exists: boolean }>(sql`
    select to_regclass('public.svc_migrations') is not null as exists`)
  if (!table!.exists) return []
  // By way of JSON, because naming a column that is not there yet would be an error.
  return db.query<Applied>(sql`
    select area, name, checksum,
           coalesce(to_jsonb(m) ->> 'former_release', 'stops') as "formerRelease",
           coalesce(to_jsonb(m) ->> 'reason', '') as reason
    from public.svc_migrations m
    order by applied_at, area, name`)
}

/**
 * Makes the table of applied migrations or adds what an older one lacks. A release from before the verdicts may still
 * insert: its migrations get the defaults.
 */
export async function ensureTable(tx: Tx): Promise<void> {
  const [table] = await tx.query<{ is_current: boolean }>(sql`
    select count(*) = 2 as is_current from pg_attribute
    where attrelid = to_regclass('public.svc_migrations') and attname in ('former_release', 'reason')`)
  if (!table!.is_current) await tx.query(script(TABLE))
}

export async function insertApplied(db: Querier, migration: Migration): Promise<void> {
  const { area, name, checksum, formerRelease, reason } = migration
  await db.query(sql`
    insert into public.svc_migrations (area, name, checksum, former_release, reason)
    values (${area}, ${name}, ${checksum}, ${formerRelease}, ${reason})`)
}

const TABLE = `
  create table if not exists public.svc_migrations (
    area text not null,
    name text not null,
    checksum text not null,
    applied_at timestamptz not null default now(),
    primary key (area, name)
  );
  alter table public.svc_migrations
    add column if not exists former_release text not null default 'stops',
    add column if not exists reason text not null default ''`

import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Db, Tx } from './db.ts'
import { script, sql } from './sql.ts'

export type Migration = { area: string; name: string; text: string; checksum: string }

export class MigrationRefused extends Error {
  override readonly name = 'MigrationRefused'
}

const LOCK = 7_310_021
const MIGRATION_LIMIT_MS = 10 * 60_000

/** Areas in the order given, files in the order of their numbers. */
export function readMigrations(folders: readonly { area: string; folder: string }[]): Migration[] {
  return folders.flatMap(({ area, folder }) => {
    const names = readdirSync(folder).filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name))
    return names.sort().map((name) => {
      const text = readFileSync(join(folder, name), 'utf8')
      return { area, name, text, checksum: hash('sha256', text) }
    })
  })
}

/** Brings the schema to what this code knows. Any number of processes may call it at once. */
export async function migrate(db: Db, known: readonly Migration[]): Promise<string[]> {
  return db.tx(
    async (tx) => {
      await tx.query(sql`select pg_advisory_xact_lock(${LOCK})`)
      await tx.query(script(BOOKKEEPING))
      const applied = await tx.query<Applied>(sql`select area, name, checksum from public.svc_migrations`)
      const todo = planMigrations(known, applied)
      for (const migration of todo) await apply(tx, migration)
      return todo.map(({ area, name }) => `${area}/${name}`)
    },
    { timeoutMs: MIGRATION_LIMIT_MS },
  )
}

/** Names of migrations that this code knows and the database lacks. Changes nothing. */
export async function pendingMigrations(db: Db, known: readonly Migration[]): Promise<string[]> {
  const [table] = await db.query<{ exists: boolean }>(sql`
    select to_regclass('public.svc_migrations') is not null as exists`)
  const applied = table!.exists
    ? await db.query<Applied>(sql`select area, name, checksum from public.svc_migrations`)
    : []
  return planMigrations(known, applied).map(({ area, name }) => `${area}/${name}`)
}

export type Applied = { area: string; name: string; checksum: string }

/** What is left to do; refuses a schema that newer code made, and history that was rewritten. */
export function planMigrations(known: readonly Migration[], applied: readonly Applied[]): Migration[] {
  const done = new Map(applied.map((row) => [`${row.area}/${row.name}`, row.checksum]))
  for (const { area, name } of applied) {
    if (!known.some((migration) => migration.area === area && migration.name === name)) {
      throw new MigrationRefused(`the database has ${area}/${name}, which this version does not know: run a newer one`)
    }
  }
  return known.filter(({ area, name, checksum }) => {
    const before = done.get(`${area}/${name}`)
    if (before !== undefined && before !== checksum) {
      throw new MigrationRefused(`${area}/${name} was changed after it was applied: add a new file in place of editing`)
    }
    return before === undefined
  })
}

async function apply(tx: Tx, { area, name, text, checksum }: Migration): Promise<void> {
  try {
    await tx.query(sql`insert into public.svc_migrations (area, name, checksum) values (${area}, ${name}, ${checksum})`)
    await tx.query(script(text))
  } catch (cause) {
    throw new MigrationRefused(`${area}/${name} failed; nothing was changed`, { cause })
  }
}

const BOOKKEEPING = `
  create table if not exists public.svc_migrations (
    area text not null,
    name text not null,
    checksum text not null,
    applied_at timestamptz not null default now(),
    primary key (area, name)
  )`

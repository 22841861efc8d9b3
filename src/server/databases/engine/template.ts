import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { ServiceError } from '#contract/errors.ts'
import type { Db } from '#lib/db/db.ts'
import { identifier, script, sql } from '#lib/db/sql.ts'

export const TEMPLATE = 'svc_managed_template'

/**
 * A database with pgvector that the others are copied from, since tenants must not need the right to create the
 * extension. It gets its name when it is whole: the advisory locks of two platform databases on one server do not
 * meet, a rename does.
 */
export async function ensureTemplate(db: Db, urlOf: (database: string) => string): Promise<void> {
  if (await exists(db)) return
  await needVector(db)
  const part = `${TEMPLATE}_${randomBytes(6).toString('hex')}`
  const name = identifier(part).text
  await db.query(script(`create database ${name}`))
  try {
    await onDatabase(urlOf(part), ['create extension vector'])
    await db.query(script(`alter database ${name} with is_template true allow_connections false`))
    await db.query(script(`alter database ${name} rename to ${identifier(TEMPLATE).text}`))
  } catch (error) {
    await db.query(script(`alter database ${name} with is_template false`))
    await db.query(script(`drop database ${name} with (force)`))
    if (!(await exists(db))) throw error
  }
}

async function exists(db: Db): Promise<boolean> {
  return (await db.query(sql`select from pg_database where datname = ${TEMPLATE}`)).length === 1
}

async function needVector(db: Db): Promise<void> {
  const found = await db.query(sql`select from pg_available_extensions where name = 'vector'`)
  if (found.length > 0) return
  const [row] = await db.query<{ version: string }>(sql`select current_setting('server_version') as version`)
  const major = row!.version.split('.')[0]
  throw new ServiceError(
    'UNAVAILABLE',
    `the Postgres server has no pgvector: install it there (on Debian the package postgresql-${major}-pgvector)`,
  )
}

/** On a connection of its own: these databases are entered by the platform's role this once. */
export async function onDatabase(connectionString: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000, application_name: 'svc' })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

import { randomBytes } from 'node:crypto'
import { ServiceError } from '#contract/core/errors.ts'
import type { Db } from '#lib/db/db.ts'
import { identifier, sql } from '#lib/db/sql.ts'
import { dropDatabase } from './drop-database.ts'
import type { Entrance, Work } from './entrance.ts'
import { isNotAllowed } from './states.ts'

export const TEMPLATE = 'svc_managed_template'

/** The limit of CREATE DATABASE and DROP DATABASE, which copy and remove files. */
export const ADMIN_LIMIT_MS = 60_000

/** A connection to the server of managed databases, and the way into any database on it. */
export type Server = {
  readonly db: Db
  readonly entrance: Entrance
  /** The setting that names the server and its role, for messages. */
  readonly setting: string
}

/** A server as functions that change its logins see it. */
export type LoginServer = Pick<Server, 'db' | 'entrance'>

/**
 * The statements for a superuser where the platform's role may not create the extension. docs/running.md has the same.
 */
export const TEMPLATE_SQL = [
  `create database ${TEMPLATE} template template0`,
  `\\connect ${TEMPLATE}`,
  'create extension vector',
  '\\connect postgres',
  `alter database ${TEMPLATE} with is_template true allow_connections false`,
]

/**
 * Makes the database with pgvector that all managed ones are copied from, because tenants must not need the right to
 * create the extension. It is copied from `template0`, so that nothing an operator keeps in `template1` reaches
 * tenants. It gets its name when it is complete: two platform databases on one server do not see each
 * other's advisory locks, but a name can be given only once.
 */
export async function ensureTemplate({ db, entrance, setting }: Server): Promise<void> {
  if (await exists(db)) return
  await needVector(db)
  const unfinishedName = `${TEMPLATE}_${randomBytes(6).toString('hex')}`
  const name = identifier(unfinishedName).text
  await onOwnDatabase({ db, entrance }, async (send) => {
    await send(`create database ${name} template template0`)
    try {
      const create = 'create extension vector with schema public'
      await entrance.enter(unfinishedName, ADMIN_LIMIT_MS, (inside) => inside(create))
      await send(`alter database ${name} with is_template true allow_connections false`)
      await send(`alter database ${name} rename to ${identifier(TEMPLATE).text}`)
    } catch (error) {
      await send(`alter database ${name} with is_template false`)
      await dropDatabase(send, unfinishedName)
      if (!(await exists(db))) throw isNotAllowed(error) ? needSuperuser(error, setting) : error
    }
  })
}

/** Runs `work` on a connection of its own to the database that `db` is connected to. */
export async function onOwnDatabase<T>({ db, entrance }: LoginServer, work: Work<T>): Promise<T> {
  const [row] = await db.query<{ name: string }>(sql`select current_database() as name`)
  return entrance.enter(row!.name, ADMIN_LIMIT_MS, work)
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
    `The Postgres server has no pgvector. Install it there (on Debian the package postgresql-${major}-pgvector).`,
  )
}

export function needSuperuser(cause: unknown, setting: string): ServiceError {
  return new ServiceError(
    'UNAVAILABLE',
    `The Postgres server does not let the role in ${setting} create the extension vector, which managed databases ` +
      `need. A superuser must run once, with psql: ${TEMPLATE_SQL.join('; ')};`,
    { cause },
  )
}

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import type { Db } from '#lib/db/db.ts'
import { openEmbedded } from '#lib/db/embedded/embedded.ts'
import { migrate } from '#lib/db/migrate/migrate.ts'
import { openPostgres } from '#lib/db/postgres.ts'
import { allMigrations } from '../../../src/server/process/schema.ts'
import { findInFiles } from '../canary.ts'
import { PATIENT } from '../patience.ts'
import { stores } from '../stores.ts'
import { onServer, withDatabase } from '../suite/global-setup.ts'
import { type OwnPostgres, startOwnPostgres } from './own-postgres.ts'

/** Stores whose files a test can search for secrets. */
export type Ground = AsyncDisposable & {
  db: Db
  databaseUrl: string | undefined
  dataDir: string
  /** Set if the stores are a server, which then logs everything Postgres can log. */
  server: OwnPostgres | undefined
  /** Flushes the journals, so that everything tenants wrote is in their database files. */
  settle(): Promise<void>
  /** Closes the store and searches the platform's files and, if asked, those of the managed databases. */
  search(secrets: readonly string[], where: 'platform' | 'everywhere'): Promise<string[]>
}

export async function openGround(): Promise<Ground> {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-ground-'))
  return stores.postgres ? onOwnServer(dataDir) : inFolder(dataDir)
}

const onError = (error: unknown) => console.error(error)

async function inFolder(dataDir: string): Promise<Ground> {
  const template = inject('template')
  if (template.kind !== 'embedded') throw new Error('the template is of another engine')
  const db = await openEmbedded({ folder: join(dataDir, 'db'), archive: template.archive, onError, ...PATIENT })
  let closing: Promise<void> | undefined
  const close = () => (closing ??= db[Symbol.asyncDispose]())
  return {
    db,
    databaseUrl: undefined,
    dataDir,
    server: undefined,
    settle: async () => {},
    search: async (secrets, where) => {
      await close()
      return findInFiles(dataDir, secrets, where === 'platform' ? ['databases'] : [])
    },
    [Symbol.asyncDispose]: async () => {
      await close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

const LOUD = {
  log_statement: 'all',
  log_min_duration_statement: 0,
  log_parameter_max_length_on_error: -1,
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': 0,
}
// Disables the reuse of journal files and autovacuum, which would change files during the search.
const STILL = { autovacuum: 'off', wal_recycle: 'off', min_wal_size: '2MB', fsync: 'off' }

async function onOwnServer(dataDir: string): Promise<Ground> {
  const server = await startOwnPostgres({ ...LOUD, ...STILL })
  await onServer(server.url, 'create database platform')
  const databaseUrl = withDatabase(server.url, 'platform')
  const db = openPostgres({ url: databaseUrl, onError, ...PATIENT })
  await migrate(db, allMigrations())
  const managed = () =>
    ask<{ oid: number; name: string }>(server, `select oid, datname as name from pg_database where datname ~ '^d_'`)
  return {
    db,
    databaseUrl,
    dataDir,
    server,
    settle: async () => {
      for (const { name } of await managed()) await onServer(withDatabase(server.url, name), 'vacuum (freeze)')
      for (const text of ['select pg_switch_wal()', 'checkpoint', 'checkpoint']) await onServer(server.url, text)
    },
    search: async (secrets, where) => {
      await onServer(server.url, 'checkpoint')
      const folders = (await managed()).map(({ oid }) => `base/${oid}`)
      return findInFiles(server.folder, secrets, where === 'platform' ? folders : [])
    },
    [Symbol.asyncDispose]: async () => {
      await db[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function ask<Row extends pg.QueryResultRow>({ url }: OwnPostgres, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

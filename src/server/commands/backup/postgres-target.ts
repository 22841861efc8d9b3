import { ServiceError } from '#contract/core/errors.ts'
import type { ReadPart } from '#lib/archive/read-archive.ts'
import type { Db } from '#lib/db/db.ts'
import { identifier, script, sql } from '#lib/db/sql.ts'
import { createLog } from '#lib/log/log.ts'
import { createRestorer, PLATFORM_DUMP } from '../../areas/databases/dump/index.ts'
import { PROGRAM_NAME } from '../../areas/databases/index.ts'
import type { Settings } from '../../config/config.ts'
import { openDatabase } from '../../process/open-database.ts'
import { finishRestore } from './finish-restore.ts'
import { databasePartOf, type Manifest, PARTS } from './manifest.ts'
import type { RestoreTarget } from './target.ts'

type Restorer = ReturnType<typeof createRestorer>
type Print = (line: string) => void

type Options = {
  readonly path: string | undefined
  readonly limitMs: number
  readonly print: Print
  /** All databases are restored to one server, and everything is removed when the target is disposed. */
  readonly isThrownAway?: boolean
}

/**
 * Restores to an empty database of Postgres and its servers. Until it is done the database has the schema svc_restore, with
 * which no server starts; a second run finds there what an interrupted one began.
 */
export async function openPostgresTarget(
  settings: Omit<Settings, 'names' | 'warnings'> & { databaseUrl: string },
  manifest: Manifest,
  { print, isThrownAway = false, ...programs }: Options,
): Promise<RestoreTarget> {
  await using opening = new AsyncDisposableStack()
  const log = createLog('error')
  const db = opening.use(await openDatabase(settings, log))
  const databaseUrl = settings.databaseDirectUrl ?? settings.databaseUrl
  const restorer = opening.use(createRestorer({ ...settings.databases, db, log, databaseUrl, ...programs }))
  await begin(db, restorer)
  const databases = restoreEach(restorer, { db, manifest, print })
  const stack = opening.move()
  const { host, pathname } = new URL(settings.databaseUrl)
  return {
    place: `${host}${pathname}`,
    async take({ name, content }) {
      if (name !== `${PARTS.platform}/${PLATFORM_DUMP}`) return databases.take({ name, content })
      await restorer.restorePlatform(content)
      if (isThrownAway) await restorer.placeAllOnPlatform()
    },
    async finish() {
      await databases.finish()
      const result = await finishRestore(db, manifest)
      if (!isThrownAway) await db.query(DROP_MARK)
      return result
    },
    async [Symbol.asyncDispose]() {
      await databases.abandon()
      if (isThrownAway) {
        await removeBegun(db, restorer)
        await db.query(DROP_MARK)
      }
      await stack.disposeAsync()
    },
  }
}

/** Restores one database after the other, in the order of their parts. */
function restoreEach(restorer: Restorer, { db, manifest, print }: { db: Db; manifest: Manifest; print: Print }) {
  const saved = new Map(manifest.databases.filter(({ state }) => state === 'saved').map((each) => [each.id, each]))
  let current: { id: string; restored: Awaited<ReturnType<Restorer['restore']>> } | undefined
  const abandon = async () => current?.restored[Symbol.asyncDispose]()
  const finish = async () => {
    if (!current) return
    const { name } = saved.get(current.id)!
    for (const note of await current.restored.finish()) print(`${name} (${current.id}): ${note}`)
    await abandon()
    current = undefined
  }
  const take = async ({ name, content }: ReadPart) => {
    const { id = '', part = '' } = databasePartOf(name) ?? {}
    const database = saved.get(id)
    if (!database) return
    if (current?.id !== id) {
      await finish()
      print(`Restoring ${database.name} (${id}).`)
      const { physical_name } = database
      await db.query(sql`insert into svc_restore.databases values (${physical_name}) on conflict do nothing`)
      current = { id, restored: await restorer.restore(id) }
    }
    await current.restored.take(part, content)
  }
  return { take, finish, abandon }
}

const END_MS = 5_000
const DROP_MARK = script('drop schema svc_restore cascade')

/** Marks the database as being restored, and removes what an interrupted restore brought. */
async function begin(db: Db, restorer: Restorer): Promise<void> {
  const [row] = await db.query<{ again: boolean }>(
    sql`select to_regclass('svc_restore.databases') is not null as again`,
  )
  if (row!.again) {
    await endPrograms(db)
    return removeBegun(db, restorer)
  }
  const [found] = await tablesOf(db)
  if (found) {
    throw new ServiceError(
      'CONFLICT',
      `The database is not empty: it has ${found.schema}.${found.name}. Restore to an empty database.`,
    )
  }
  await db.query(
    script('create schema svc_restore; create table svc_restore.databases (physical_name text primary key)'),
  )
}

/**
 * Ends the programs of a restore that was killed. They outlive it and would go on to make the indexes of tables that the
 * next restore has just filled.
 */
async function endPrograms(db: Db): Promise<void> {
  await db.query(sql`
    select pg_catalog.pg_terminate_backend(pid, ${END_MS}) from pg_catalog.pg_stat_activity
    where datname = current_database() and usename = current_user and application_name = ${PROGRAM_NAME}`)
}

/** Only a restore makes the schema svc_restore, and only in an empty database, so all of this is its own. */
async function removeBegun(db: Db, restorer: Restorer): Promise<void> {
  const rows = await db.query<{ name: string }>(sql`select physical_name as name from svc_restore.databases`)
  for (const { name } of rows) {
    await restorer.drop(name)
    await db.query(sql`delete from svc_restore.databases where physical_name = ${name}`)
  }
  await removeTables(db)
}

async function tablesOf(db: Db): Promise<{ schema: string; name: string }[]> {
  return db.query<{ schema: string; name: string }>(sql`
    select n.nspname as schema, c.relname as name
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and n.nspname !~ '^pg_' and n.nspname not in ('information_schema', 'svc_restore')
    order by 1, 2 limit 10000`)
}

async function removeTables(db: Db): Promise<void> {
  const schemas = await db.query<{ name: string }>(sql`
    select nspname as name from pg_catalog.pg_namespace
    where nspname !~ '^pg_' and nspname not in ('information_schema', 'svc_restore', 'public')`)
  for (const { name } of schemas) await db.query(script(`drop schema ${identifier(name).text} cascade`))
  for (const { schema, name } of await tablesOf(db)) {
    await db.query(script(`drop table if exists ${identifier(schema, name).text} cascade`))
  }
}

import { hash } from 'node:crypto'
import { createWriteStream, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { pack } from 'tar-stream'
import { openEmbedded } from '#lib/db/embedded/embedded.ts'
import { migrate } from '#lib/db/migrate/migrate.ts'
import { script, sql } from '#lib/db/sql.ts'
import { entriesIn } from '../../../scripts/cluster-archive.ts'
import { allMigrations } from '../../../src/server/process/schema.ts'

/** Files of template1 and template0, to which no test connects. */
const TEMPLATE_FILES = /^\/base\/[14]\/./
const LOG_FILES = /^\/pg_wal\/[0-9A-F]{24}$/

/**
 * Returns the archive that every test file opens a copy of, so it holds as little as it can. It is kept between runs
 * under the hash of the migrations it holds.
 */
export async function makeMigratedArchive(): Promise<string> {
  const cache = join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'svc-test')
  mkdirSync(cache, { recursive: true })
  const migrations = allMigrations()
  const archive = join(cache, `migrated-${hash('sha256', JSON.stringify(migrations)).slice(0, 16)}-closed.tar`)
  if (existsSync(archive)) return archive
  const place = mkdtempSync(join(cache, 'making-'))
  const cluster = join(place, 'cluster')
  const log = await migrateAndClose(cluster, migrations)
  await write(join(place, 'archive.tar'), cluster, log)
  renameSync(join(place, 'archive.tar'), archive)
  rmSync(place, { recursive: true })
  return archive
}

/**
 * Returns the name of the log file that the closed cluster needs. The cluster is closed, because an archive of an open
 * one holds the log of all migrations, which every engine that opens it would replay.
 */
async function migrateAndClose(folder: string, migrations: ReturnType<typeof allMigrations>): Promise<string> {
  await using db = await openEmbedded({ folder, onError: console.error })
  await migrate(db, migrations)
  await db.query(script('select pg_switch_wal()'))
  await db.query(script('checkpoint'))
  const [row] = await db.query<{ log: string }>(sql`select pg_walfile_name(pg_current_wal_lsn()) as log`)
  return `/pg_wal/${row!.log}`
}

async function write(file: string, cluster: string, log: string): Promise<void> {
  const archive = pack()
  const written = pipeline(archive, createWriteStream(file))
  for (const { path: name, isFolder, bytes } of entriesIn(cluster)) {
    if (TEMPLATE_FILES.test(name) || (LOG_FILES.test(name) && name !== log)) continue
    if (isFolder) archive.entry({ name, type: 'directory' })
    else archive.entry({ name }, name === log ? withoutZeros(bytes) : bytes)
  }
  archive.finalize()
  await written
}

const PAGE_BYTES = 8192

/** Returns the pages of a log that were written. The engine makes the file longer when it writes more. */
function withoutZeros(bytes: Buffer): Buffer {
  let end = bytes.length
  while (end > 0 && bytes[end - 1] === 0) end -= 1
  return bytes.subarray(0, Math.ceil(end / PAGE_BYTES) * PAGE_BYTES)
}

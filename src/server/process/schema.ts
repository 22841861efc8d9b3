import type { Db } from '#lib/db/db.ts'
import type { PreparedSchema } from '#lib/db/embedded/prepared-schema.ts'
import { type Migration, readMigrations } from '#lib/db/migrate/file.ts'
import { findPending, migrate } from '#lib/db/migrate/migrate.ts'
import { nameOf } from '#lib/db/migrate/plan.ts'
import { MigrationRefused } from '#lib/db/migrate/refusal.ts'
import { sql } from '#lib/db/sql.ts'
import type { Log } from '#lib/log/log.ts'
import { assets } from '../files/assets.ts'

/** Areas with tables, in the order in which their tables build on each other. */
const AREAS = [
  'lib',
  'auth',
  'data-sources',
  'databases',
  'ai',
  'activity',
  'notifications',
  'apps',
  'tickets',
  'maintenance',
  'pipelines',
  'checks',
  'backups',
] as const

/**
 * Checksums of files that were edited after a release had applied them. A later migration adds what such a database
 * lacks: `auth/0016_company_assertions.sql` the table that was added to the file between 0.3.0 and 0.4.0.
 */
const FORMER_CHECKSUMS: Readonly<Record<string, readonly string[]>> = {
  'auth/0012_company_sign_on.sql': ['369df60f4dca2f4da96ceb2589e7483d50dbb418c3503946ae2ac3f1bd44eb96'],
}

export function allMigrations(): Migration[] {
  const migrations = readMigrations(AREAS.map((area) => ({ area, folder: assets.migrations(area) })))
  return migrations.map((migration) => {
    const formerChecksums = FORMER_CHECKSUMS[nameOf(migration)]
    return formerChecksums ? { ...migration, formerChecksums } : migration
  })
}

/** The schema that a new cluster begins with, so that a first start need not apply all migrations. */
export function preparedSchema(): PreparedSchema {
  const checksums = Object.fromEntries(allMigrations().map((migration) => [nameOf(migration), migration.checksum]))
  return { archive: assets.preparedSchema(), checksums }
}

/** Migrates the database, or where `mayMigrate` is false refuses one that lacks a migration of this version. */
export async function prepareSchema(
  db: Db,
  { mayMigrate }: { mayMigrate: boolean },
  log: Log,
  migrations: readonly Migration[] = allMigrations(),
): Promise<void> {
  await refuseUnfinishedRestore(db)
  if (mayMigrate) await migrate(db, migrations, { report: (line) => log.info({}, line) })
  const { pending, newer } = await findPending(db, migrations)
  if (pending.length > 0) {
    throw new MigrationRefused(
      `The database lacks ${pending.map(nameOf).join(', ')}, and SVC_MIGRATE=off prevents this process from migrating. ` +
        'Run "svc-server migrate" of this version with the same DATABASE_URL, then start again.',
    )
  }
  if (newer.length > 0) {
    log.warn(
      { migrations: newer.map(nameOf) },
      'the database was migrated by a newer version on which this one can run',
    )
  }
}

async function refuseUnfinishedRestore(db: Db): Promise<void> {
  const [row] = await db.query<{ is_begun: boolean }>(sql`
    select to_regclass('svc_restore.databases') is not null as is_begun`)
  if (row!.is_begun) {
    throw new MigrationRefused('A restore of this database did not finish. Run svc-server restore again, then start.')
  }
}

import { DataKeyRefused, type DataKeys, verifyDataKeys } from '#lib/crypto/data-keys.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import { findPending } from '#lib/db/migrate/migrate.ts'
import { nameOf } from '#lib/db/migrate/plan.ts'
import { MigrationRefused } from '#lib/db/migrate/refusal.ts'
import { sql } from '#lib/db/sql.ts'
import { createLog } from '#lib/log/log.ts'
import { systemClock } from '#lib/time/clock.ts'
import { composeDatabases } from '../../compose/databases.ts'
import type { Config } from '../../config/config.ts'
import { allMigrations } from '../../process/schema.ts'
import { type DoctorCheck, type Finding, type Findings, messageOf, problem, Skipped, warning } from './report.ts'

/** Beyond this, tokens and signed requests of services with a correct clock are refused. */
const MAX_SKEW_MS = 5_000
const MIN_POSTGRES = 150_000

/** Returns the open database. Throws `Skipped` if it cannot be used for another check's sake. */
export type OpenDb = () => Promise<Db>

type DatabaseCheckDeps = {
  openDb: OpenDb
  /** Undefined: the reason that the keys are not known is reported by another check. */
  dataKeys: () => DataKeys | undefined
  /** Undefined while the configuration has errors. */
  config: Config | undefined
  now: () => number
}

export function databaseChecks(deps: DatabaseCheckDeps): DoctorCheck[] {
  return [
    { name: 'migrations', look: async () => findMigrationFaults(await deps.openDb()) },
    { name: 'data keys', look: async () => findKeyFaults(await deps.openDb(), deps.dataKeys()) },
    { name: 'clock', look: async () => findSkew(await deps.openDb(), deps.now) },
    { name: 'managed databases', look: async () => findManagedDatabaseFaults(await deps.openDb(), deps.config) },
  ]
}

/** Asks the server for its version, and whether it can be written to. */
export async function findStoreFaults(db: Db): Promise<Finding[]> {
  const [row] = await db.query<{ version: number; read_only: boolean }>(sql`
    select current_setting('server_version_num')::int as version,
           pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as read_only`)
  const faults: Finding[] = []
  if (row!.version < MIN_POSTGRES) {
    faults.push(problem(`Postgres ${Math.floor(row!.version / 10_000)} is too old.`, 'Use Postgres 15 or later.'))
  }
  if (row!.read_only) {
    faults.push(
      problem(
        'The database can only be read: it is a standby, or set to read-only.',
        'Use the address of the primary.',
      ),
    )
  }
  return faults
}

async function findMigrationFaults(db: Db): Promise<Finding[]> {
  try {
    const { pending, newer } = await findPending(db, allMigrations())
    return [
      ...(pending.length === 0
        ? []
        : [
            problem(
              `The database lacks ${pending.length} migrations of this version: ${pending.map(nameOf).join(', ')}.`,
              'Run svc-server migrate, or start a server without SVC_MIGRATE=off.',
            ),
          ]),
      ...(newer.length === 0
        ? []
        : [
            warning(
              `The database was migrated by a newer version: ${newer.map(nameOf).join(', ')}.`,
              'Upgrade the servers that still run this version.',
            ),
          ]),
    ]
  } catch (error) {
    if (!(error instanceof MigrationRefused)) throw error
    return [problem(error.message, 'Use the version of svc that fits the database, or restore a backup.')]
  }
}

async function findKeyFaults(db: Db, keys: DataKeys | undefined): Promise<Finding[]> {
  if (keys === undefined) throw new Skipped('The data keys are not known.')
  try {
    await verifyDataKeys(db, keys)
    return []
  } catch (error) {
    if (!(error instanceof DataKeyRefused)) throw error
    return [problem(error.message, 'See /guides/running#changing-the-data-key of a running server.')]
  }
}

/** The database answered between the two readings of our clock, so half of that time is the error of the comparison. */
async function findSkew(db: Db, now: () => number): Promise<Findings> {
  const before = now()
  const [row] = await db.query<{ ms: number }>(sql`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`)
  const after = now()
  const skew = (before + after) / 2 - row!.ms
  if (Math.abs(skew) <= MAX_SKEW_MS + (after - before) / 2) return []
  const seconds = Math.round(Math.abs(skew) / 1000)
  return problem(
    `The clock of this machine is ${seconds} seconds ${skew > 0 ? 'ahead of' : 'behind'} the clock of the database.`,
    'Synchronize both clocks with NTP: tokens and signed requests are refused otherwise.',
  )
}

const ACTIONS = {
  warning: 'See /guides/running#the-role-and-the-template of a running server.',
  problem: 'See /guides/database-servers#when-a-server-is-away of a running server.',
}

/** The warnings that a server prints at its start about the role, the template and pgvector. */
async function findManagedDatabaseFaults(db: Db, config: Config | undefined): Promise<Finding[]> {
  if (config === undefined) throw new Skipped('The configuration has errors.')
  const parts = {
    config,
    db,
    clock: systemClock,
    log: createLog('silent'),
    sealer: createSealer(config.secrets.dataKeys),
  }
  await using databases = composeDatabases(parts)
  const faults = await databases
    .faults()
    .catch((error: unknown) => [{ severity: 'warning', text: messageOf(error) } as const])
  return faults.map(({ severity, text }) => ({ severity, message: text, action: ACTIONS[severity] }))
}

import { setTimeout as pause } from 'node:timers/promises'
import type { Db, DbSession, Tx } from '../db.ts'
import { hasCode } from '../errors.ts'
import { script, sql } from '../sql.ts'
import type { Migration } from './file.ts'
import { runOutside } from './index-build.ts'
import { withoutConcurrently } from './index-statements.ts'
import { nameOf, type Plan, planMigrations } from './plan.ts'
import { MigrationRefused } from './refusal.ts'
import { ensureTable, insertApplied, readApplied } from './table.ts'

type MigrateOptions = {
  /** Called with a sentence for each migration that was applied, and when the run has to wait for others. */
  report?: (line: string) => void
  /** How long a statement may wait for a lock. Requests queue behind a statement that waits, so it is short. */
  lockTimeoutMs?: number
  /** Pause before the next attempt after a lock was not granted, in which the queued requests get their turn. */
  retryPauseMs?: number
  maxAttempts?: number
  /** How long to wait for another process that migrates. */
  maxWaitMs?: number
}

type Options = Required<MigrateOptions>

const DEFAULTS: Options = {
  report: () => undefined,
  lockTimeoutMs: 2_000,
  retryPauseMs: 1_000,
  maxAttempts: 30,
  maxWaitMs: 10 * 60_000,
}
/** Key of the advisory lock that a migrating process holds. Every release uses the same one. */
const LOCK_KEY = 7_310_021
const LOCK_POLL_MS = 200
const STATEMENT_LIMIT_MS = 10 * 60_000

/**
 * Brings the schema to what this version needs and returns the names of the applied migrations. Any number of processes
 * may call it at once. Throws MigrationRefused when the schema and this version do not fit together.
 */
export async function migrate(
  db: Db,
  migrations: readonly Migration[],
  options: MigrateOptions = {},
): Promise<string[]> {
  if (await isCurrent(db, migrations)) return []
  const given = { ...DEFAULTS, ...options }
  return db.session(async (session) => {
    await takeLock(session, given)
    try {
      return await migrateLocked(session, db.engine, migrations, given)
    } finally {
      // The lock ends with the connection at the latest; a failure here must not hide the first error.
      await session.query(sql`select pg_advisory_unlock(${LOCK_KEY})`).catch(() => undefined)
    }
  })
}

/** Compares the schema with this version and changes nothing. Throws MigrationRefused as `migrate` does. */
export async function findPending(db: Db, migrations: readonly Migration[]): Promise<Plan> {
  return planMigrations(migrations, await readApplied(db))
}

/** Asks without the lock, so that a start with nothing to do never waits. Refusals are decided under the lock. */
async function isCurrent(db: Db, migrations: readonly Migration[]): Promise<boolean> {
  const applied = await readApplied(db)
  try {
    return planMigrations(migrations, applied).pending.length === 0
  } catch {
    return false
  }
}

/**
 * Polls, because a session that waits inside `pg_advisory_lock` has a snapshot: the concurrent index build of the
 * session that holds the lock would wait for that snapshot to end, and each would wait for the other.
 */
async function takeLock(session: DbSession, { report, maxWaitMs }: Options): Promise<void> {
  const giveUpAt = performance.now() + maxWaitMs
  for (let attempt = 1; ; attempt++) {
    const [row] = await session.query<{ taken: boolean }>(sql`select pg_try_advisory_lock(${LOCK_KEY}) as taken`)
    if (row!.taken) return
    if (attempt === 1) report('Another process is migrating the database. Waiting for it to finish.')
    if (performance.now() > giveUpAt) {
      throw new MigrationRefused('Another process is still migrating the database. Wait until it is done, then repeat.')
    }
    await pause(LOCK_POLL_MS)
  }
}

async function migrateLocked(
  session: DbSession,
  engine: Db['engine'],
  migrations: readonly Migration[],
  options: Options,
): Promise<string[]> {
  await withLockRetries(options, 'the table of migrations', () => inTransaction(session, options, ensureTable))
  const { pending } = planMigrations(migrations, await readApplied(session))
  for (const step of stepsOf(pending, engine)) {
    const names = step.map(nameOf)
    await withLockRetries(options, names.join(', '), () => applyStep(session, step, engine, options))
    for (const name of names) options.report(`Applied ${name}`)
  }
  return pending.map(nameOf)
}

/** Migrations that follow each other are one transaction. One that runs outside a transaction is a step by itself. */
function stepsOf(pending: readonly Migration[], engine: Db['engine']): Migration[][] {
  const steps: Migration[][] = []
  for (const migration of pending) {
    const last = steps.at(-1)
    if (last && !isOutside(migration, engine) && !isOutside(last[0]!, engine)) last.push(migration)
    else steps.push([migration])
  }
  return steps
}

/** The embedded engine has one session: a concurrent build has nobody to leave room for. */
function isOutside({ outside }: Migration, engine: Db['engine']): boolean {
  return outside !== undefined && engine === 'postgres'
}

async function applyStep(
  session: DbSession,
  step: readonly Migration[],
  engine: Db['engine'],
  options: Options,
): Promise<void> {
  const [first] = step
  if (first && isOutside(first, engine)) return applyOutside(session, first)
  await inTransaction(session, options, async (tx) => {
    for (const migration of step) await apply(tx, migration)
  })
}

async function inTransaction(
  session: DbSession,
  { lockTimeoutMs }: Options,
  run: (tx: Tx) => Promise<void>,
): Promise<void> {
  await session.tx(
    async (tx) => {
      await tx.query(script(`set local lock_timeout = ${Math.ceil(lockTimeoutMs)}`))
      await run(tx)
    },
    { timeoutMs: STATEMENT_LIMIT_MS },
  )
}

async function apply(tx: Tx, migration: Migration): Promise<void> {
  const texts = migration.outside?.map(withoutConcurrently) ?? [migration.text]
  try {
    await insertApplied(tx, migration)
    for (const text of texts) await tx.query(script(text))
  } catch (cause) {
    throw new MigrationRefused(`${nameOf(migration)} failed; its transaction was rolled back`, { cause })
  }
}

/** The row comes last: after a crash the file runs again, and each of its statements may. */
async function applyOutside(session: DbSession, migration: Migration): Promise<void> {
  try {
    for (const statement of migration.outside!) await runOutside(session, statement)
    await insertApplied(session, migration)
  } catch (cause) {
    throw new MigrationRefused(`${nameOf(migration)} failed; the migrations before it are applied`, { cause })
  }
}

async function withLockRetries(options: Options, what: string, run: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (!hasCode(error, LOCK_FAULTS)) throw error
      if (attempt >= options.maxAttempts) {
        throw new MigrationRefused(
          `${what}: other sessions kept the tables locked in ${attempt} attempts. ` +
            'End long transactions (see pg_stat_activity), then repeat.',
          { cause: error },
        )
      }
      if (attempt === 1) options.report(`Waiting for locks of other sessions: ${what}`)
      await pause(options.retryPauseMs)
    }
  }
}

/** lock_not_available and deadlock_detected. */
const LOCK_FAULTS = new Set(['55P03', '40P01'])

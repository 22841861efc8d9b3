import { ServiceError } from '#contract/core/errors.ts'
import type { Db } from '#lib/db/db.ts'
import { FolderInUse } from '#lib/files/folder-lock.ts'
import { createLog } from '#lib/log/log.ts'
import { createOperatorFetch, type OperatorFetch } from '#lib/net/operator-fetch.ts'
import { type Config, readSettings, readStoreSettings, type Settings, toConfig } from '../../config/config.ts'
import { ConfigError, type Environment } from '../../config/reader.ts'
import { takeDataFolder } from '../../process/data-folder.ts'
import { findSecrets } from '../../process/first-start/embedded-secrets.ts'
import { openDatabase } from '../../process/open-database.ts'
import { databaseChecks, findStoreFaults } from './database-checks.ts'
import { outsideChecks } from './outside-checks.ts'
import {
  type DoctorCheck,
  type Finding,
  type Findings,
  messageOf,
  note,
  problem,
  runChecks,
  Skipped,
  toText,
  warning,
} from './report.ts'
import { findReadinessFaults, openCopyOfServer } from './running-server.ts'
import { type SettingsResult, settingsChecks, settingsOf } from './settings-checks.ts'
import { workChecks } from './work-checks.ts'

type Print = (line: string) => void

/** Looks for what is wrong with this installation and prints it. Changes nothing. Throws CONFLICT if there is a problem. */
export async function runDoctor(env: Environment, print: Print, json: boolean): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const result = readAll(env)
  const store = openStore(env, stack)
  const openDb = async () => {
    const { db, skipped } = await store
    if (db === undefined) throw skipped
    return db
  }
  const settings = 'settings' in result ? result.settings : undefined
  const config = settings && completeConfig(settings)
  const dataKeys = () => (config ?? settings)?.secrets.dataKeys
  const send = stack.use(createOperatorFetch({ connectTimeoutMs: 5_000, headersTimeoutMs: 5_000 }))
  const database: DoctorCheck = { name: 'database', look: async () => (await store).findings }
  const report = await runChecks([
    ...settingsChecks(result),
    { name: 'server', look: async () => readinessOf(await store, send) },
    database,
    ...databaseChecks({ openDb, dataKeys, config, now: Date.now }),
    ...outsideChecks(() => settingsOf(result), send),
    ...workChecks(openDb, settings?.backup),
  ])
  if (json) print(JSON.stringify(report, null, 2))
  else for (const line of toText(report)) print(line)
  const problems = report.checks.flatMap(({ findings }) => findings.filter(({ severity }) => severity === 'problem'))
  if (problems.length === 0) return
  throw new ServiceError(
    'CONFLICT',
    problems.length === 1 ? 'One problem was found.' : `${problems.length} problems were found.`,
  )
}

function readAll(env: Environment): SettingsResult {
  try {
    return { settings: readSettings(env) }
  } catch (error) {
    if (error instanceof ConfigError) return { faults: error.faults }
    throw error
  }
}

/** On the embedded default the secrets are in the data folder. Undefined where some are missing. */
function completeConfig(settings: Settings): Config | undefined {
  try {
    return toConfig(settings, settings.databaseUrl === undefined ? findSecrets(settings.dataDir) : {})
  } catch (error) {
    if (error instanceof ConfigError) return undefined
    throw error
  }
}

type Store = {
  readonly findings: readonly Finding[]
  /** Undefined if it cannot be used. The checks that need it are then left out for the reason `skipped`. */
  readonly db: Db | undefined
  readonly skipped: Skipped
  /** The data folder of the embedded database, if a server runs on it. */
  readonly inUse: string | undefined
}

const UNUSABLE = { db: undefined, skipped: new Skipped('The database cannot be used.'), inUse: undefined } as const

async function readinessOf({ inUse }: Store, send: OperatorFetch): Promise<Findings | undefined> {
  return inUse === undefined ? undefined : findReadinessFaults(inUse, send)
}

/** Opens the database also where other settings are wrong. */
async function openStore(env: Environment, stack: AsyncDisposableStack): Promise<Store> {
  try {
    const settings = readStoreSettings(env)
    try {
      if (settings.databaseUrl === undefined) takeDataFolder(settings.dataDir, stack)
    } catch (error) {
      if (error instanceof FolderInUse) return await openInUse(settings.dataDir, error, stack)
      throw error
    }
    const db = stack.use(await openDatabase(settings, createLog('silent')))
    const findings = [...(await findStoreFaults(db)), ...lostSecrets(settings)]
    return { ...UNUSABLE, db, findings }
  } catch (error) {
    return { ...UNUSABLE, findings: [toFinding(error)] }
  }
}

/** A server has the embedded database, so that the checks read a copy of it. */
async function openInUse(dataDir: string, inUse: FolderInUse, stack: AsyncDisposableStack): Promise<Store> {
  try {
    const db = await openCopyOfServer(dataDir, stack)
    const running = note(
      `A server runs: ${inUse.message}. It made a copy of its database, which these checks have read.`,
      'Nothing to do. To check the files themselves, stop the server and repeat.',
    )
    return {
      db,
      findings: [running, ...(await findStoreFaults(db)), ...lostSecrets({ dataDir })],
      skipped: UNUSABLE.skipped,
      inUse: dataDir,
    }
  } catch (error) {
    const message = `A server runs: ${inUse.message}. It made no copy of its database for these checks: ${messageOf(error)}.`
    const skipped = new Skipped('The database is in use by a running server.', 'Repeat, or stop the server first.')
    return { db: undefined, findings: [warning(message, 'Repeat, or stop the server first.')], skipped, inUse: dataDir }
  }
}

function lostSecrets({ databaseUrl, dataDir }: { databaseUrl?: string | undefined; dataDir: string }): Finding[] {
  if (databaseUrl !== undefined || findSecrets(dataDir)) return []
  return [
    problem(
      'secrets.json is missing from the data folder, so stored secrets cannot be read.',
      'Restore it from a backup before you start a server, which would make new secrets.',
    ),
  ]
}

function toFinding(error: unknown): Finding {
  if (error instanceof ServiceError || error instanceof ConfigError) {
    return problem(error.message, 'Correct DATABASE_URL or SVC_DATA_DIR.')
  }
  return problem(
    `The database does not answer: ${messageOf(error)}.`,
    'Check DATABASE_URL, the network, and that Postgres runs and accepts the password.',
  )
}

import { ServiceError } from '#contract/core/errors.ts'
import type { Db } from '#lib/db/db.ts'
import { FolderInUse } from '#lib/files/folder-lock.ts'
import { createLog } from '#lib/log/log.ts'
import { createOperatorFetch } from '#lib/net/operator-fetch.ts'
import { type Config, readSettings, readStoreSettings, type Settings, toConfig } from '../../config/config.ts'
import { ConfigError, type Environment } from '../../config/reader.ts'
import { takeDataFolder } from '../../process/data-folder.ts'
import { findSecrets } from '../../process/first-start/embedded-secrets.ts'
import { openDatabase } from '../../process/open-database.ts'
import { databaseChecks, findStoreFaults } from './database-checks.ts'
import { outsideChecks } from './outside-checks.ts'
import { type DoctorCheck, type Finding, messageOf, problem, runChecks, Skipped, toText, warning } from './report.ts'
import { type SettingsResult, settingsChecks, settingsOf } from './settings-checks.ts'
import { workChecks } from './work-checks.ts'

type Print = (line: string) => void

/** Looks for what is wrong with this installation and prints it. Changes nothing. Throws CONFLICT if there is a problem. */
export async function runDoctor(env: Environment, print: Print, json: boolean): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const result = readAll(env)
  const store = openStore(env, stack)
  const openDb = async () => {
    const { db } = await store
    if (db === undefined) throw new Skipped('The database cannot be used.')
    return db
  }
  const settings = 'settings' in result ? result.settings : undefined
  const config = settings && completeConfig(settings)
  const dataKeys = () => (config ?? settings)?.secrets.dataKeys
  const send = stack.use(createOperatorFetch({ connectTimeoutMs: 5_000, headersTimeoutMs: 5_000 }))
  const database: DoctorCheck = { name: 'database', look: async () => (await store).findings }
  const report = await runChecks([
    ...settingsChecks(result),
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

type Store = { db: Db | undefined; findings: readonly Finding[] }

/** Opens the database also where other settings are wrong. */
async function openStore(env: Environment, stack: AsyncDisposableStack): Promise<Store> {
  try {
    const settings = readStoreSettings(env)
    if (settings.databaseUrl === undefined) takeDataFolder(settings.dataDir, stack)
    const db = stack.use(await openDatabase(settings, createLog('silent')))
    const findings = await findStoreFaults(db)
    if (settings.databaseUrl !== undefined || findSecrets(settings.dataDir)) return { db, findings }
    const lost = problem(
      'secrets.json is missing from the data folder, so stored secrets cannot be read.',
      'Restore it from a backup before you start a server, which would make new secrets.',
    )
    return { db, findings: [...findings, lost] }
  } catch (error) {
    return { db: undefined, findings: [toFinding(error)] }
  }
}

function toFinding(error: unknown): Finding {
  if (error instanceof FolderInUse) {
    return warning(`${error.message}.`, 'The embedded database has room for one process: stop the server to check it.')
  }
  if (error instanceof ServiceError || error instanceof ConfigError) {
    return problem(error.message, 'Correct DATABASE_URL or SVC_DATA_DIR.')
  }
  return problem(
    `The database does not answer: ${messageOf(error)}.`,
    'Check DATABASE_URL, the network, and that Postgres runs and accepts the password.',
  )
}

import { readAi } from './ai.ts'
import { readApps } from './apps.ts'
import { readBackup } from './backup.ts'
import { readChat } from './chat.ts'
import { checkCompanySignOn, checkConnector, readConnector } from './connector.ts'
import { readDatabases } from './databases.ts'
import { readForum } from './forum.ts'
import { readKubernetes } from './kubernetes.ts'
import { readMail } from './mail.ts'
import { readMaintenance } from './maintenance.ts'
import { readNotifications } from './notifications.ts'
import { readProcess } from './process.ts'
import { readQuestions } from './questions.ts'
import { ConfigError, type Environment, EnvironmentReader } from './reader.ts'
import { readRevisions } from './revisions.ts'
import { checkAuthApiTokens, checkClusterSecrets, completeSecrets, readSecrets, type Secrets } from './secrets.ts'
import { SERVICE_NAMES } from './service-table.ts'
import { checkEmbeddedServices, checkServiceUrls, readServices } from './services.ts'
import { checkPublicUrl, readSignIn } from './sign-in.ts'
import { readStores } from './stores.ts'
import { readTraces } from './traces.ts'
import { describeUnknown, findUnknownSettings } from './unknown-settings.ts'
import { readWorkload } from './workload.ts'

/** The complete, frozen configuration of a process. */
export type Config = Readonly<Omit<ReturnType<typeof readParts>, 'secrets'> & { secrets: Readonly<Secrets> }>

/** The configuration as the environment gives it. Secrets may be missing on the embedded default. */
export type Settings = Omit<Config, 'secrets'> & {
  secrets: Partial<Secrets>
  /** Every name that was looked up, which is every setting there is. */
  names: ReadonlySet<string>
  /** Sentences for the operator about variables that have no effect. */
  warnings: readonly string[]
}

/** Reads every setting. Throws one ConfigError that lists all faults. */
export function readSettings(env: Environment): Settings {
  const read = new EnvironmentReader(env)
  const settings = readParts(read)
  checkAuthApiTokens(settings.secrets.authApiTokens, settings, read)
  checkCompanySignOn(settings, read)
  if (settings.databaseUrl) checkCluster(settings, read)
  else checkEmbeddedServices(settings, read)
  const unknown = findUnknownSettings(env, read.names)
  // A misspelt name is often why another setting is missing, so the likely one is named beside the faults.
  const misspelt = unknown.filter(({ nearest }) => nearest !== undefined)
  if (read.faults.length > 0) throw new ConfigError([...read.faults, ...misspelt.map(describeUnknown)])
  return Object.freeze({ ...settings, names: read.names, warnings: unknown.map(describeUnknown) })
}

function readParts(read: EnvironmentReader) {
  const stores = readStores(read)
  const services = readServices(read)
  const hasHostedLogin = services.authLoginUrl !== undefined && services.services.includes('api-gateway')
  const workload = readWorkload(read)
  const kubernetes = readKubernetes(read, workload)
  const apps = readApps(read, stores.databaseUrl === undefined, kubernetes !== undefined)
  return {
    ...readProcess(read, stores.databaseUrl === undefined),
    ...stores,
    ...services,
    signIn: readSignIn(read, hasHostedLogin),
    workload,
    /** Undefined: apps run as processes, if at all. */
    kubernetes,
    ai: readAi(read),
    apps,
    maintenance: readMaintenance(read, { deploysOff: apps.processesOff }),
    databases: readDatabases(read, stores.databaseDirectUrl ?? stores.databaseUrl),
    questions: readQuestions(read),
    revisions: readRevisions(read),
    connector: readConnector(read),
    notifications: readNotifications(read),
    mail: readMail(read, services.services),
    chat: readChat(read),
    forum: readForum(read),
    /** Undefined while no backups are scheduled. */
    backup: readBackup(read),
    /** Undefined while tracing is switched off. */
    traces: readTraces(read),
    secrets: readSecrets(read),
  }
}

function checkCluster(settings: Omit<Settings, 'names' | 'warnings'>, read: EnvironmentReader): void {
  checkClusterSecrets(settings.secrets, settings.services, read)
  if (settings.services.length < SERVICE_NAMES.length && !settings.redisUrl) {
    read.fault('REDIS_URL is required when services run in separate processes, because they share limits')
  }
  checkPublicUrl(settings, read)
  checkConnector(settings, read)
  checkServiceUrls(settings, read)
}

/** Reads only what opening the database needs, for commands that need no secrets. Throws ConfigError as above. */
export function readStoreSettings(env: Environment) {
  const read = new EnvironmentReader(env)
  const { databaseUrl, databaseDirectUrl, databaseConnections } = readStores(read)
  const { dataDir } = readProcess(read, databaseUrl === undefined)
  if (read.faults.length > 0) throw new ConfigError(read.faults)
  return { databaseUrl, databaseDirectUrl, databaseConnections, dataDir }
}

/** Completes the settings with the secrets that the embedded default generated and keeps in its data folder. */
export function toConfig({ names: _, warnings: __, ...settings }: Settings, generated: Partial<Secrets> = {}): Config {
  const secrets = completeSecrets(settings.secrets, generated, settings.services)
  return Object.freeze({ ...settings, secrets })
}

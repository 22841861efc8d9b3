import { type AiSettings, readAi } from './ai.ts'
import { type AppSettings, readApps } from './apps.ts'
import { type ChatSettings, readChat } from './chat.ts'
import { type ConnectorSettings, checkConnector, readConnector } from './connector.ts'
import { type DatabaseSettings, readDatabases } from './databases.ts'
import { type ForumSettings, readForum } from './forum.ts'
import { type KubernetesSettings, readKubernetes } from './kubernetes.ts'
import { type OutgoingMailSettings, readMail } from './mail.ts'
import { type MaintenanceSettings, readMaintenance } from './maintenance.ts'
import { type NotificationSettings, readNotifications } from './notifications.ts'
import { type ProcessSettings, readProcess } from './process.ts'
import { type QuestionSettings, readQuestions } from './questions.ts'
import { ConfigError, type Environment, EnvironmentReader } from './reader.ts'
import { type RevisionSettings, readRevisions } from './revisions.ts'
import { checkAuthApiTokens, checkClusterSecrets, completeSecrets, readSecrets, type Secrets } from './secrets.ts'
import { SERVICE_NAMES } from './service-table.ts'
import { checkEmbeddedServices, checkServiceUrls, readServices, type ServiceSettings } from './services.ts'
import { checkPublicUrl, readSignIn, type SignInSettings } from './sign-in.ts'
import { readStores, type StoreSettings } from './stores.ts'
import { readTraces, type TraceSettings } from './traces.ts'
import { describeUnknown, findUnknownSettings } from './unknown-settings.ts'
import { readWorkload, type WorkloadSettings } from './workload.ts'

/** The complete, frozen configuration of a process. */
export type Config = Readonly<
  ProcessSettings &
    StoreSettings &
    ServiceSettings & {
      signIn: Readonly<SignInSettings>
      workload: Readonly<WorkloadSettings>
      /** Undefined: apps run as processes, if at all. */
      kubernetes: Readonly<KubernetesSettings> | undefined
      ai: Readonly<AiSettings>
      databases: Readonly<DatabaseSettings>
      questions: Readonly<QuestionSettings>
      revisions: Readonly<RevisionSettings>
      connector: Readonly<ConnectorSettings>
      notifications: Readonly<NotificationSettings>
      mail: Readonly<OutgoingMailSettings>
      chat: Readonly<ChatSettings>
      apps: Readonly<AppSettings>
      maintenance: Readonly<MaintenanceSettings>
      forum: Readonly<ForumSettings>
      /** Undefined while tracing is switched off. */
      traces: Readonly<TraceSettings> | undefined
      secrets: Readonly<Secrets>
    }
>

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
  const stores = readStores(read)
  const services = readServices(read)
  const hasHostedLogin = services.authLoginUrl !== undefined && services.services.includes('api-gateway')
  const workload = readWorkload(read)
  const kubernetes = readKubernetes(read, workload)
  const apps = readApps(read, stores.databaseUrl === undefined, kubernetes !== undefined)
  const settings = {
    ...readProcess(read, stores.databaseUrl === undefined),
    ...stores,
    ...services,
    signIn: readSignIn(read, hasHostedLogin),
    workload,
    kubernetes,
    ai: readAi(read),
    apps,
    maintenance: readMaintenance(read, { deploysOff: apps.processesOff }),
    databases: readDatabases(read, stores.databaseDirectUrl ?? stores.databaseUrl),
    questions: readQuestions(read),
    revisions: readRevisions(read),
    connector: readConnector(read),
    notifications: readNotifications(read),
    mail: readMail(read),
    chat: readChat(read),
    forum: readForum(read),
    traces: readTraces(read),
    secrets: readSecrets(read),
  }
  checkAuthApiTokens(settings.secrets.authApiTokens, settings, read)
  if (stores.databaseUrl) checkCluster(settings, read)
  else checkEmbeddedServices(settings, read)
  const unknown = findUnknownSettings(env, read.names)
  // A misspelt name is often why another setting is missing, so the likely one is named beside the faults.
  const misspelt = unknown.filter(({ nearest }) => nearest !== undefined)
  if (read.faults.length > 0) throw new ConfigError([...read.faults, ...misspelt.map(describeUnknown)])
  return Object.freeze({ ...settings, names: read.names, warnings: unknown.map(describeUnknown) })
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

type DatabaseSetting = 'databaseUrl' | 'databaseDirectUrl' | 'databaseConnections'

/** Reads only what opening the database needs, for commands that need no secrets. Throws ConfigError as above. */
export function readStoreSettings(env: Environment): Pick<Settings, DatabaseSetting | 'dataDir'> {
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

import { addressList } from '#edge/http/request-info.ts'
import { HEX_KEY } from '#lib/crypto/keys.ts'
import { LOG_LEVELS, type LogLevel } from '#lib/log.ts'
import { SERVICE_NAMES, SERVICE_TABLE, type ServiceName } from '../process/service-table.ts'
import { AI_VARIABLES, type AiSettings, readAi } from './ai.ts'
import { CONNECTOR_VARIABLES, type ConnectorSettings, readConnector } from './connector.ts'
import { DATABASE_VARIABLES, type DatabaseSettings, readDatabases } from './databases.ts'
import { QUESTION_VARIABLES, type QuestionSettings, readQuestions } from './questions.ts'
import { readSignIn, SIGN_IN_VARIABLES, type SignInSettings } from './sign-in.ts'
import { readWorkload, WORKLOAD_VARIABLES, type WorkloadSettings } from './workload.ts'

export type Secrets = {
  /** Both sign everything that dies when one of them is rotated; only the auth service needs them. */
  jwtSecret: string | undefined
  jwtSigningKey: string | undefined
  /** The first seals, all of them open. */
  dataKeys: readonly [string, ...string[]]
  operatorToken: string | undefined
  internalSecret: string
  /** Signs what the MCP server says of an agent; without it there are no connectors. */
  actorAssertionSecret: string | undefined
}

export type Config = Readonly<{
  host: string
  port: number
  dataDir: string
  services: readonly ServiceName[]
  databaseUrl: string | undefined
  redisUrl: string | undefined
  /** Neighbours that run elsewhere. */
  urls: Readonly<Partial<Record<ServiceName, string>>>
  authLoginUrl: string | undefined
  signIn: Readonly<SignInSettings>
  trustedProxies: readonly string[]
  logLevel: LogLevel
  example: boolean
  workload: Readonly<WorkloadSettings>
  ai: Readonly<AiSettings>
  databases: Readonly<DatabaseSettings>
  questions: Readonly<QuestionSettings>
  connector: Readonly<ConnectorSettings>
  secrets: Readonly<Secrets>
}>

/** As read from the environment; on the embedded default missing secrets are filled in from the data folder. */
export type Settings = Omit<Config, 'secrets'> & { secrets: Partial<Secrets>; unknown: readonly string[] }

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly faults: readonly string[]
  constructor(faults: readonly string[]) {
    super(
      `the configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n${faults.map((f) => `  - ${f}`).join('\n')}`,
    )
    this.faults = faults
  }
}

export type Environment = Readonly<Record<string, string | undefined>>

const URL_OF: Partial<Record<ServiceName, string>> = {
  'auth-service': 'AUTH_SERVICE_URL',
  'deploy-api': 'DEPLOY_API_URL',
  'mcp-server': 'MCP_SERVER_URL',
  'api-gateway': 'API_GATEWAY_URL',
}

const KNOWN = new Set<string>([
  ...SIGN_IN_VARIABLES,
  ...WORKLOAD_VARIABLES,
  ...AI_VARIABLES,
  ...DATABASE_VARIABLES,
  ...QUESTION_VARIABLES,
  ...CONNECTOR_VARIABLES,
  'SVC_DATA_DIR',
  'SVC_SERVICES',
  'SVC_TRUSTED_PROXIES',
  'SVC_LOG_LEVEL',
  'SVC_EXAMPLE',
  'SVC_JWT_SECRET',
  'SVC_JWT_SIGNING_KEY',
  'SVC_DATA_KEY',
  'SVC_DATA_KEYS_FORMER',
  'SVC_OPERATOR_TOKEN',
  'SVC_INTERNAL_SECRET',
])

/** The process's own environment; nothing else reads it. */
export function environment(): Environment {
  return process.env
}

/** Reads all, then reports every fault at once. */
export function readSettings(env: Environment): Settings {
  const faults: string[] = []
  const read = new Reader(env, faults)
  const databaseUrl = read.url('DATABASE_URL', ['postgres:', 'postgresql:'])
  const urls = readUrls(read)
  const services = readServices(read, urls)
  const authLoginUrl = read.url('AUTH_LOGIN_URL', ['http:', 'https:'])
  const settings: Settings = {
    host: read.text('HOST') ?? '127.0.0.1',
    port: read.integer('PORT', 8080, 0, 65_535),
    dataDir: read.text('SVC_DATA_DIR') ?? '.svc',
    services,
    databaseUrl,
    redisUrl: read.url('REDIS_URL', ['redis:', 'rediss:']),
    urls,
    authLoginUrl,
    signIn: readSignIn(read, authLoginUrl !== undefined && services.includes('api-gateway')),
    trustedProxies: read.addresses('SVC_TRUSTED_PROXIES'),
    logLevel: read.oneOf('SVC_LOG_LEVEL', LOG_LEVELS, databaseUrl ? 'info' : 'warn'),
    example: read.oneOf('SVC_EXAMPLE', ['true', 'false'], 'true') === 'true',
    workload: readWorkload(read),
    ai: readAi(read),
    databases: readDatabases(read),
    questions: readQuestions(read),
    connector: readConnector(read),
    secrets: readSecrets(read),
    unknown: Object.keys(env).filter(
      (name) => name.startsWith('SVC_') && !name.startsWith('SVC_TEST_') && !KNOWN.has(name),
    ),
  }
  faults.push(...(databaseUrl ? clusterFaults(settings) : embeddedFaults(settings)))
  if (faults.length > 0) throw new ConfigError(faults)
  return Object.freeze(settings)
}

/** Complete and frozen. `generated` holds what the embedded default keeps in its data folder. */
export function toConfig({ unknown: _, ...settings }: Settings, generated: Partial<Secrets> = {}): Config {
  const { dataKeys, internalSecret, jwtSecret, jwtSigningKey, operatorToken, actorAssertionSecret } = {
    ...generated,
    // Where auth runs elsewhere, a secret that it does not know would announce agents nobody can let in.
    ...(!settings.services.includes('auth-service') && { actorAssertionSecret: undefined }),
    ...defined(settings.secrets),
  }
  if (!dataKeys || !internalSecret) throw new ConfigError(['SVC_DATA_KEY and SVC_INTERNAL_SECRET are needed'])
  if (actorAssertionSecret !== undefined && actorAssertionSecret.toLowerCase() === jwtSecret?.toLowerCase()) {
    throw new ConfigError(['SVC_ACTOR_ASSERTION_SECRET must differ from SVC_JWT_SECRET: openssl rand -hex 32'])
  }
  const secrets = Object.freeze({
    dataKeys,
    internalSecret,
    jwtSecret,
    jwtSigningKey,
    operatorToken,
    actorAssertionSecret,
  })
  return Object.freeze({ ...settings, secrets })
}

function defined<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>
}

function readUrls(read: Reader): Config['urls'] {
  const entries = Object.entries(URL_OF).map(([name, variable]) => [name, read.url(variable, ['http:', 'https:'])])
  return Object.freeze(defined(Object.fromEntries(entries) as Record<string, string>))
}

/** `all` leaves out what an address says runs elsewhere. */
function readServices(read: Reader, urls: Config['urls']): readonly ServiceName[] {
  const names = read.list('SVC_SERVICES')
  if (names.length === 0 || (names.length === 1 && names[0] === 'all')) {
    return SERVICE_NAMES.filter((name) => urls[name] === undefined)
  }
  for (const name of names) {
    if (!SERVICE_NAMES.some((known) => known === name)) {
      read.fault(`SVC_SERVICES names ${name}; the services are all, ${SERVICE_NAMES.join(', ')}`)
    }
  }
  return SERVICE_NAMES.filter((name) => names.includes(name))
}

function readSecrets(read: Reader): Partial<Secrets> {
  const current = read.key('SVC_DATA_KEY')
  const former = read.list('SVC_DATA_KEYS_FORMER')
  if (former.length > 0 && current === undefined)
    read.fault(
      'SVC_DATA_KEYS_FORMER needs SVC_DATA_KEY: without it the keys in secrets.json of the data folder are used',
    )
  if (former.some((key) => !HEX_KEY.test(key)))
    read.fault('SVC_DATA_KEYS_FORMER must be keys of 64 hex digits, comma-separated')
  const operatorToken = read.text('SVC_OPERATOR_TOKEN')
  if (operatorToken !== undefined && !/^[\w.~+/=-]{32,}$/.test(operatorToken))
    read.fault('SVC_OPERATOR_TOKEN must have 32 characters or more, of letters, digits and -._~+/=')
  return defined({
    jwtSecret: read.key('SVC_JWT_SECRET'),
    jwtSigningKey: read.key('SVC_JWT_SIGNING_KEY'),
    dataKeys: current === undefined ? undefined : ([current, ...former] as const),
    operatorToken,
    internalSecret: read.key('SVC_INTERNAL_SECRET'),
    actorAssertionSecret: read.key('SVC_ACTOR_ASSERTION_SECRET'),
  }) as Partial<Secrets>
}

function embeddedFaults({ services, urls }: Settings): string[] {
  const missing = SERVICE_NAMES.filter((name) => !services.includes(name) && !urls[name])
  if (missing.length === 0) return []
  return ['SVC_SERVICES names only some services, which needs DATABASE_URL: the embedded database serves one process']
}

function clusterFaults({ services, urls, redisUrl, secrets, ...settings }: Settings): string[] {
  const faults: string[] = []
  const need = (ok: unknown, fault: string) => ok || faults.push(fault)
  need(secrets.dataKeys, 'SVC_DATA_KEY is needed with DATABASE_URL: 32 random bytes as hex (openssl rand -hex 32)')
  need(
    secrets.internalSecret,
    'SVC_INTERNAL_SECRET is needed with DATABASE_URL, the same for every service: openssl rand -hex 32',
  )
  if (services.includes('auth-service')) {
    need(secrets.jwtSecret, 'SVC_JWT_SECRET is needed by auth-service: openssl rand -hex 32')
    need(secrets.jwtSigningKey, 'SVC_JWT_SIGNING_KEY is needed by auth-service: openssl rand -hex 32')
  }
  if (services.length < SERVICE_NAMES.length) {
    need(redisUrl, 'REDIS_URL is needed when services run apart: limits must be counted together')
  }
  if (secrets.actorAssertionSecret !== undefined) faults.push(...connectorFaults(services, secrets, settings))
  const called = new Set(services.flatMap((name) => SERVICE_TABLE[name].calls))
  for (const name of called) {
    need(services.includes(name) || urls[name], `${URL_OF[name]} is needed: ${name} does not run in this process`)
  }
  return faults
}

/** Services that run apart know each other only inside the cluster: what agents see must be said. */
function connectorFaults(
  services: readonly ServiceName[],
  secrets: Partial<Secrets>,
  { signIn, connector }: Pick<Settings, 'signIn' | 'connector'>,
): string[] {
  const apart = services.includes('auth-service') !== services.includes('mcp-server')
  const told = signIn.redirectBaseUrl ?? (connector.issuer && connector.mcpUrl)
  return [
    ...(services.includes('mcp-server') && !secrets.jwtSecret
      ? ['SVC_JWT_SECRET is needed by mcp-server too where SVC_ACTOR_ASSERTION_SECRET is set']
      : []),
    ...(apart && !told
      ? ['SVC_ACTOR_ASSERTION_SECRET needs SVC_REDIRECT_BASE_URL, or SVC_AUTH_PUBLIC_URL and SVC_MCP_PUBLIC_URL']
      : []),
  ]
}

class Reader {
  readonly #env: Environment
  readonly #faults: string[]
  constructor(env: Environment, faults: string[]) {
    this.#env = env
    this.#faults = faults
  }
  fault(text: string): void {
    this.#faults.push(text)
  }
  text(name: string): string | undefined {
    const value = this.#env[name]?.trim()
    return value === '' ? undefined : value
  }
  /** Where the empty text has a meaning of its own: the fallback stands only for a variable that is not there. */
  given(name: string, fallback: string): string {
    return this.#env[name]?.trim() ?? fallback
  }
  list(name: string): string[] {
    return (this.text(name) ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
  }
  integer(name: string, fallback: number, min: number, max: number): number {
    const text = this.text(name)
    if (text === undefined) return fallback
    const value = Number(text)
    if (Number.isInteger(value) && value >= min && value <= max) return value
    this.fault(`${name} must be a whole number from ${min} to ${max}`)
    return fallback
  }
  oneOf<const T extends string>(name: string, choices: readonly T[], fallback: T): T {
    const text = this.text(name)
    const found = choices.find((choice) => choice === text)
    if (text !== undefined && !found) this.fault(`${name} must be one of ${choices.join(', ')}`)
    return found ?? fallback
  }
  url(name: string, protocols: readonly string[]): string | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol)) {
      this.fault(`${name} must be an address beginning with ${protocols.map((p) => `${p}//`).join(' or ')}`)
    }
    return text
  }
  key(name: string): string | undefined {
    const text = this.text(name)
    if (text !== undefined && !HEX_KEY.test(text)) this.fault(`${name} must be 32 bytes as 64 hex digits`)
    return text
  }
  addresses(name: string): string[] {
    const blocks = this.list(name)
    try {
      addressList(blocks)
    } catch {
      this.fault(`${name} must be addresses or CIDR blocks such as 10.0.0.0/8, comma-separated`)
    }
    return blocks
  }
}

import { HEX_KEY } from '#lib/crypto/keys.ts'
import { ConfigError, type EnvironmentReader } from './reader.ts'
import type { ServiceName } from './service-table.ts'
import type { ServiceSettings } from './services.ts'

export type Secrets = {
  /** Signs sessions, tokens and grants together with `jwtSigningKey`. Changing either ends all of them. */
  jwtSecret: string | undefined
  jwtSigningKey: string | undefined
  /** The first key seals; every key opens what it sealed. */
  dataKeys: readonly [string, ...string[]]
  operatorToken: string | undefined
  internalSecret: string
  /** Signs what the MCP server says about an agent. Without it agents cannot connect. */
  actorAssertionSecret: string | undefined
  /** API tokens at a hosted auth service, one per organization, by which the people of it are asked for. */
  authApiTokens: readonly string[]
}

/** Secrets of our own, which can be made here. */
export type OwnSecrets = Omit<Secrets, 'authApiTokens'>

/** Reads the secrets that are set. On the embedded default the others come from the data folder. */
export function readSecrets(read: EnvironmentReader): Partial<Secrets> {
  const current = read.key('SVC_DATA_KEY')
  const former = readFormerKeys(read, current !== undefined)
  return defined({
    jwtSecret: read.key('SVC_JWT_SECRET'),
    jwtSigningKey: read.key('SVC_JWT_SIGNING_KEY'),
    dataKeys: current === undefined ? undefined : ([current, ...former] as const),
    operatorToken: readOperatorToken(read),
    internalSecret: read.key('SVC_INTERNAL_SECRET'),
    actorAssertionSecret: read.key('SVC_ACTOR_ASSERTION_SECRET'),
    authApiTokens: readAuthApiTokens(read),
  }) as Partial<Secrets>
}

function readFormerKeys(read: EnvironmentReader, hasCurrent: boolean): string[] {
  const former = read.list('SVC_DATA_KEYS_FORMER')
  if (former.length > 0 && !hasCurrent) {
    read.fault(
      'SVC_DATA_KEYS_FORMER requires SVC_DATA_KEY: without it the keys in secrets.json in the data folder are used',
    )
  }
  if (former.some((key) => !HEX_KEY.test(key))) {
    read.fault('SVC_DATA_KEYS_FORMER must be comma-separated keys of 64 hex digits')
  }
  return former
}

function readOperatorToken(read: EnvironmentReader): string | undefined {
  const token = read.text('SVC_OPERATOR_TOKEN')
  if (token !== undefined && !/^[\w.~+/=-]{32,}$/.test(token)) {
    read.fault('SVC_OPERATOR_TOKEN must have at least 32 characters: letters, digits and -._~+/=')
  }
  return token
}

const MAX_AUTH_API_TOKENS = 100

function readAuthApiTokens(read: EnvironmentReader): readonly string[] {
  const tokens = read.list('SVC_AUTH_API_TOKEN')
  if (tokens.some((token) => !/^[\w.~+/=-]{32,}$/.test(token))) {
    read.fault('SVC_AUTH_API_TOKEN must be comma-separated API tokens of the hosted auth service')
  }
  if (tokens.length > MAX_AUTH_API_TOKENS) {
    read.fault(`SVC_AUTH_API_TOKEN has ${tokens.length} tokens, but at most ${MAX_AUTH_API_TOKENS} are allowed`)
  }
  return Object.freeze(tokens)
}

/** The tokens are for an auth service elsewhere, so it needs an address and cannot run here. */
export function checkAuthApiTokens(
  tokens: readonly string[] | undefined,
  { services, urls }: Pick<ServiceSettings, 'services' | 'urls'>,
  read: EnvironmentReader,
): void {
  if (tokens === undefined || tokens.length === 0) return
  if (services.includes('auth-service')) {
    read.fault('SVC_AUTH_API_TOKEN is for a hosted auth service, but auth-service runs in this process: remove it')
  } else if (!urls['auth-service']) {
    read.fault('AUTH_SERVICE_URL is required with SVC_AUTH_API_TOKEN: the address of the hosted auth service')
  }
}

/** With DATABASE_URL nothing is generated, because every process must have the same secrets. */
export function checkClusterSecrets(
  secrets: Partial<Secrets>,
  services: readonly ServiceName[],
  read: EnvironmentReader,
): void {
  if (!secrets.dataKeys) {
    read.fault('SVC_DATA_KEY is required with DATABASE_URL: 32 random bytes as hex (openssl rand -hex 32)')
  }
  if (!secrets.internalSecret) {
    read.fault(
      'SVC_INTERNAL_SECRET is required with DATABASE_URL, with the same value for every service: openssl rand -hex 32',
    )
  }
  if (!services.includes('auth-service')) return
  if (!secrets.jwtSecret) read.fault('SVC_JWT_SECRET is required by auth-service: openssl rand -hex 32')
  if (!secrets.jwtSigningKey) read.fault('SVC_JWT_SIGNING_KEY is required by auth-service: openssl rand -hex 32')
}

/** Joins the secrets of the environment with generated ones. The environment wins. Throws when a required one is missing. */
export function completeSecrets(
  fromEnvironment: Partial<Secrets>,
  generated: Partial<Secrets>,
  services: readonly ServiceName[],
): Readonly<Secrets> {
  const { authApiTokens = [], ...secrets }: Partial<Secrets> = {
    ...generated,
    // An auth service elsewhere does not know a secret generated here, so agents would be promised access and refused.
    ...(!services.includes('auth-service') && { actorAssertionSecret: undefined }),
    ...defined(fromEnvironment),
  }
  const { dataKeys, internalSecret, jwtSecret, jwtSigningKey, operatorToken, actorAssertionSecret } = secrets
  if (!dataKeys || !internalSecret) throw new ConfigError(['SVC_DATA_KEY and SVC_INTERNAL_SECRET are required'])
  if (actorAssertionSecret !== undefined && actorAssertionSecret.toLowerCase() === jwtSecret?.toLowerCase()) {
    throw new ConfigError(['SVC_ACTOR_ASSERTION_SECRET must differ from SVC_JWT_SECRET: openssl rand -hex 32'])
  }
  return Object.freeze({
    dataKeys,
    internalSecret,
    jwtSecret,
    jwtSigningKey,
    operatorToken,
    actorAssertionSecret,
    authApiTokens,
  })
}

function defined<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>
}

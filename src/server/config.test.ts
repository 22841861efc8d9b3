import { describe, expect, it } from 'vitest'
import { ConfigError, type Environment, readSettings, toConfig } from './config.ts'

const KEY = 'ab'.repeat(32)
const CLUSTER = {
  DATABASE_URL: 'postgres://u:p@db.internal/svc',
  REDIS_URL: 'redis://kv.internal',
  SVC_DATA_KEY: KEY,
  SVC_INTERNAL_SECRET: KEY,
  SVC_JWT_SECRET: KEY,
  SVC_JWT_SIGNING_KEY: KEY,
}

function faultsOf(env: Environment): readonly string[] {
  try {
    readSettings(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}

describe('configuration', () => {
  it('the defaults: loopback, 8080, .svc, everything in one process', () => {
    expect(readSettings({})).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      dataDir: '.svc',
      services: ['api-gateway', 'auth-service', 'deploy-api', 'mcp-server', 'worker'],
      databaseUrl: undefined,
      trustedProxies: [],
      logLevel: 'warn',
      example: true,
    })
  })

  it.each<[string, Environment, string[]]>([
    ['nothing set', {}, []],
    ['an empty value counts as not set', { PORT: '', DATABASE_URL: ' ' }, []],
    ['a port that is none', { PORT: '80a' }, ['PORT must be a whole number from 0 to 65535']],
    [
      'an address of the wrong kind',
      { DATABASE_URL: 'mysql://x' },
      [
        'DATABASE_URL must be an address beginning with postgres:// or postgresql://',
        'SVC_DATA_KEY is needed with DATABASE_URL: 32 random bytes as hex (openssl rand -hex 32)',
        'SVC_INTERNAL_SECRET is needed with DATABASE_URL, the same for every service: openssl rand -hex 32',
        'SVC_JWT_SECRET is needed by auth-service: openssl rand -hex 32',
        'SVC_JWT_SIGNING_KEY is needed by auth-service: openssl rand -hex 32',
      ],
    ],
    [
      'a service that is none',
      { ...CLUSTER, SVC_SERVICES: 'api-gateway,auth-service,deploy-api,mcp-server,wroker' },
      ['SVC_SERVICES names wroker; the services are all, api-gateway, auth-service, deploy-api, mcp-server, worker'],
    ],
    [
      'some services on the embedded database',
      { SVC_SERVICES: 'worker' },
      ['SVC_SERVICES names only some services, which needs DATABASE_URL: the embedded database serves one process'],
    ],
    [
      'a neighbour nobody can find',
      { ...CLUSTER, SVC_SERVICES: 'mcp-server' },
      [
        'AUTH_SERVICE_URL is needed: auth-service does not run in this process',
        'API_GATEWAY_URL is needed: api-gateway does not run in this process',
      ],
    ],
    [
      'services apart without a shared store',
      { ...CLUSTER, REDIS_URL: '', SVC_SERVICES: 'auth-service' },
      ['REDIS_URL is needed when services run apart: limits must be counted together'],
    ],
    ['a key that is none', { SVC_DATA_KEY: 'secret' }, ['SVC_DATA_KEY must be 32 bytes as 64 hex digits']],
    ['a short operator token', { SVC_OPERATOR_TOKEN: 'x' }, ['SVC_OPERATOR_TOKEN must have 32 characters or more']],
    [
      'proxies that are no addresses',
      { SVC_TRUSTED_PROXIES: 'localhost' },
      ['SVC_TRUSTED_PROXIES must be addresses or CIDR blocks such as 10.0.0.0/8, comma-separated'],
    ],
    ['a whole cluster', CLUSTER, []],
    [
      'AU-09 a remote auth service needs no signing secrets here',
      {
        ...CLUSTER,
        SVC_JWT_SECRET: '',
        SVC_JWT_SIGNING_KEY: '',
        AUTH_SERVICE_URL: 'https://auth.example.com',
      },
      [],
    ],
  ])('%s', (_, env, faults) => {
    expect(faultsOf(env)).toEqual(faults)
  })

  it('no fault repeats the value, which may be a secret', () => {
    expect(faultsOf({ SVC_DATA_KEY: 'my-own-secret', SVC_OPERATOR_TOKEN: 'another' }).join()).not.toMatch(
      /my-own|another/,
    )
  })

  it('AU-09 what an address says runs elsewhere is left out of `all`', () => {
    const { services } = readSettings({ AUTH_SERVICE_URL: 'https://auth.example.com' })
    expect(services).toEqual(['api-gateway', 'deploy-api', 'mcp-server', 'worker'])
  })

  it('secrets of the environment win over those of the data folder', () => {
    const generated = {
      dataKeys: ['cd'.repeat(32)] as const,
      internalSecret: 'cd'.repeat(32),
      operatorToken: 'x'.repeat(32),
    }
    const { secrets } = toConfig(readSettings({ SVC_DATA_KEY: KEY, SVC_DATA_KEYS_FORMER: 'ef'.repeat(32) }), generated)
    expect(secrets).toEqual({
      dataKeys: [KEY, 'ef'.repeat(32)],
      internalSecret: 'cd'.repeat(32),
      operatorToken: 'x'.repeat(32),
      jwtSecret: undefined,
      jwtSigningKey: undefined,
    })
  })

  it('a variable of ours that nobody knows is told', () => {
    expect(readSettings({ SVC_SERVCES: 'all', OTHER: 'x' }).unknown).toEqual(['SVC_SERVCES'])
  })
})

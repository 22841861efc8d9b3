import { describe, expect, it } from 'vitest'
import { readSettings, toConfig } from './config.ts'
import { ConfigError, type Environment } from './reader.ts'

const KEY = 'ab'.repeat(32)
const CLUSTER = {
  DATABASE_URL: 'postgres://u:p@db.internal/svc',
  REDIS_URL: 'redis://kv.internal',
  SVC_DATA_KEY: KEY,
  SVC_INTERNAL_SECRET: KEY,
  SVC_JWT_SECRET: KEY,
  SVC_JWT_SIGNING_KEY: KEY,
}

const GOOGLE = { SVC_GOOGLE_CLIENT_ID: 'g', SVC_GOOGLE_CLIENT_SECRET: 'gs' }
const MICROSOFT = {
  SVC_MICROSOFT_CLIENT_ID: 'm',
  SVC_MICROSOFT_CLIENT_SECRET: 'ms',
  SVC_MICROSOFT_TENANT_ID: 'Organizations',
}

const OIDC = {
  SVC_OIDC_ISSUER: 'https://id.example.com/realms/Staff/',
  SVC_OIDC_CLIENT_ID: 'o',
  SVC_OIDC_CLIENT_SECRET: 'os',
}

const BY_COMPANY = { SVC_COMPANY_SIGN_ON: 'true', SVC_REDIRECT_BASE_URL: 'https://app.example.com' }
const NO_COMPANY = 'SVC_COMPANY_SIGN_ON requires SVC_OIDC_ISSUER, or SVC_MICROSOFT_TENANT_ID of one tenant'
const TENANT = '11111111-2222-4333-8444-555555555555'
const CONSUMERS_TENANT = '9188040D-6c67-4c5b-b112-36a304b66dad'

const APART = { ...CLUSTER, SVC_REDIRECT_BASE_URL: 'https://svc.example.com' }
const ELSEWHERE = {
  AUTH_SERVICE_URL: 'http://auth',
  DEPLOY_API_URL: 'http://deploy',
  MCP_SERVER_URL: 'http://mcp',
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
        'SVC_DATA_KEY is required with DATABASE_URL: 32 random bytes as hex (openssl rand -hex 32)',
        'SVC_INTERNAL_SECRET is required with DATABASE_URL, with the same value for every service: openssl rand -hex 32',
        'SVC_JWT_SECRET is required by auth-service: openssl rand -hex 32',
        'SVC_JWT_SIGNING_KEY is required by auth-service: openssl rand -hex 32',
      ],
    ],
    [
      'a service that is none',
      { ...APART, SVC_SERVICES: 'api-gateway,auth-service,deploy-api,mcp-server,wroker' },
      [
        'SVC_SERVICES names wroker, which is not a service. Services: all, api-gateway, auth-service, deploy-api, mcp-server, worker',
      ],
    ],
    [
      'some services on the embedded database',
      { SVC_SERVICES: 'worker' },
      ['SVC_SERVICES names only some services, which requires DATABASE_URL: the embedded database serves one process'],
    ],
    [
      'OP-02 an embedded database that nobody may migrate',
      { SVC_MIGRATE: 'off' },
      ['SVC_MIGRATE=off requires DATABASE_URL: the embedded database is migrated by the one process that uses it'],
    ],
    ['OP-02 a switch that is none', { ...CLUSTER, SVC_MIGRATE: 'no' }, ['SVC_MIGRATE must be one of on, off']],
    [
      'a neighbour nobody can find',
      { ...APART, SVC_SERVICES: 'mcp-server' },
      [
        'AUTH_SERVICE_URL is required, because auth-service does not run in this process',
        'API_GATEWAY_URL is required, because api-gateway does not run in this process',
        'DEPLOY_API_URL is required, because deploy-api does not run in this process',
      ],
    ],
    [
      'a worker whose runs of maintenance would find no tools',
      { ...APART, SVC_SERVICES: 'worker' },
      ['DEPLOY_API_URL is required, because deploy-api does not run in this process'],
    ],
    [
      'services apart without a shared store',
      { ...APART, REDIS_URL: '', SVC_SERVICES: 'auth-service' },
      ['REDIS_URL is required when services run in separate processes, because they share limits'],
    ],
    ...(['worker', 'auth-service', 'api-gateway'] as const).map((name): [string, Environment, string[]] => [
      `OP-02 ${name} alone, which cannot know the address people see`,
      { ...CLUSTER, ...ELSEWHERE, SVC_SERVICES: name },
      [
        'SVC_REDIRECT_BASE_URL is required when services run in separate processes: the address that people use, such as https://svc.example.com',
      ],
    ]),
    [
      'all services but a hosted auth service, which have the public port',
      { ...CLUSTER, AUTH_SERVICE_URL: 'https://auth.example.com' },
      [],
    ],
    [
      'a drain that never ends',
      { SVC_DRAIN_SECONDS: '3601' },
      ['SVC_DRAIN_SECONDS must be a whole number from 0 to 3600'],
    ],
    [
      'a host that is none',
      { SVC_DATABASES_PUBLIC_HOST: 'db/x' },
      ['SVC_DATABASES_PUBLIC_HOST must be a host, or host:port'],
    ],
    [
      'an address for the domain of apps',
      { SVC_APPS_DOMAIN: 'https://apps.example.com' },
      ['SVC_APPS_DOMAIN must be a domain such as apps.example.com, without https:// and port'],
    ],
    ...['example.com', 'svc.example.com'].map((domain): [string, Environment, string[]] => [
      `apps under ${domain}, which would include the console`,
      { SVC_APPS_DOMAIN: domain, SVC_REDIRECT_BASE_URL: 'https://svc.example.com' },
      ['SVC_APPS_DOMAIN must not contain the host of SVC_REDIRECT_BASE_URL: apps need a domain of their own'],
    ]),
    ['a key that is none', { SVC_DATA_KEY: 'secret' }, ['SVC_DATA_KEY must be 32 bytes as 64 hex digits']],
    [
      'AU-08 a former key without a current one',
      { SVC_DATA_KEYS_FORMER: 'ef'.repeat(32) },
      ['SVC_DATA_KEYS_FORMER requires SVC_DATA_KEY: without it the keys in secrets.json in the data folder are used'],
    ],
    [
      'a short operator token',
      { SVC_OPERATOR_TOKEN: 'x' },
      ['SVC_OPERATOR_TOKEN must have at least 32 characters: letters, digits and -._~+/='],
    ],
    [
      'proxies that are no addresses',
      { SVC_TRUSTED_PROXIES: 'localhost' },
      ['SVC_TRUSTED_PROXIES must be addresses or CIDR blocks such as 10.0.0.0/8, comma-separated'],
    ],
    [
      'AU-15 a cluster that cannot be addressed',
      { KUBERNETES_SERVICE_HOST: 'a b', KUBERNETES_SERVICE_PORT_HTTPS: '0', WORKLOAD_IDENTITY_ENABLED: 'no' },
      [
        'KUBERNETES_SERVICE_PORT_HTTPS must be a whole number from 1 to 65535',
        'KUBERNETES_SERVICE_HOST must be an address or a name',
        'WORKLOAD_IDENTITY_ENABLED must be one of true, false',
      ],
    ],
    [
      'DS-24 AI providers that are no list',
      { SVC_AI_PROVIDERS: '[{"api_key": "sk-secret"' },
      ['SVC_AI_PROVIDERS must be a JSON list of {"name", "base_url", "api_key", "kind", "models"}'],
    ],
    [
      'DS-24 AI providers with faults',
      {
        SVC_GATEWAY_TOKENS_PER_DAY: '-1',
        SVC_AGENT_TOKENS_PER_DAY: 'many',
        SVC_AI_PROVIDERS: JSON.stringify([
          'sk-secret',
          { name: 'builtin', base_url: 'ftp://x', api_key: 'sk secret', kind: 'google', 'sk-secret': 1 },
          { name: 'Acme', base_url: 'https://u:sk-secret@x', kind: 'openai', models: [{ name: '', dimensions: 0 }] },
          { name: 'acme', base_url: 'https://x', kind: 'openai', models: 'sk-secret' },
          { name: 'twice', base_url: 'https://x', kind: 'openai' },
          { name: 'twice', base_url: 'https://y', kind: 'anthropic' },
        ]),
      },
      [
        'SVC_GATEWAY_TOKENS_PER_DAY must be a whole number from 0 to 9007199254740991',
        'SVC_AGENT_TOKENS_PER_DAY must be a whole number from 0 to 9007199254740991',
        'SVC_AI_PROVIDERS entry 1 must be an object',
        'SVC_AI_PROVIDERS entry 2.name must not be builtin, which is reserved',
        'SVC_AI_PROVIDERS entry 2.base_url must be an http or https address',
        'SVC_AI_PROVIDERS entry 2.api_key must contain only characters that are allowed in a header',
        'SVC_AI_PROVIDERS entry 2.kind must be openai or anthropic',
        'SVC_AI_PROVIDERS entry 2 has an unknown key',
        'SVC_AI_PROVIDERS entry 3.name must be at most 32 lower-case letters, digits and dashes',
        'SVC_AI_PROVIDERS entry 3.base_url must have no user, query or fragment',
        'SVC_AI_PROVIDERS entry 3.models.0.name must not be empty',
        'SVC_AI_PROVIDERS entry 3.models.0.dimensions must be at least 1',
        'SVC_AI_PROVIDERS entry 4.models must be a list of {"name", "dimensions", "chat", "tools", "price"}',
        'SVC_AI_PROVIDERS names a provider twice',
      ],
    ],
    [
      'MA-08 prices of models with faults',
      {
        SVC_AI_PROVIDERS: JSON.stringify([
          {
            name: 'acme',
            base_url: 'https://x',
            kind: 'openai',
            models: [
              { name: 'a', price: { input: -1, output: 100_001 } },
              { name: 'b', price: { input: '3', output: 15 } },
              { name: 'c', price: { input: 3 } },
              { name: 'd', price: 3 },
              { name: 'e', price: { input: 3, output: 15, currency: 'EUR' } },
            ],
          },
        ]),
      },
      [
        'SVC_AI_PROVIDERS entry 1.models.0.price.input must not be negative',
        'SVC_AI_PROVIDERS entry 1.models.0.price.output must be at most 100000',
        'SVC_AI_PROVIDERS entry 1.models.1.price.input must be a number',
        'SVC_AI_PROVIDERS entry 1.models.2.price.output must be a number',
        'SVC_AI_PROVIDERS entry 1.models.3.price must be {"input", "output"}',
        'SVC_AI_PROVIDERS entry 1.models.4.price has an unknown key',
      ],
    ],
    [
      'DS-18 numbers of questions that are none',
      { SVC_QUESTIONS_PER_MINUTE: 'many', SVC_QUESTIONS_PER_DAY: '-1' },
      [
        'SVC_QUESTIONS_PER_MINUTE must be a whole number from 0 to 1000000000',
        'SVC_QUESTIONS_PER_DAY must be a whole number from 0 to 1000000000',
      ],
    ],
    ['a whole cluster', CLUSTER, []],
    ['AU-05 both providers', { ...GOOGLE, ...MICROSOFT, SVC_REDIRECT_BASE_URL: 'https://app.example.com' }, []],
    ['AU-05 another provider alone', { ...OIDC, SVC_REDIRECT_BASE_URL: 'https://app.example.com' }, []],
    [
      'AU-05 a provider on this machine',
      { ...OIDC, SVC_OIDC_ISSUER: 'http://localhost:9000', SVC_REDIRECT_BASE_URL: 'http://localhost:8080' },
      [],
    ],
    [
      'AU-05 another provider, and nowhere to come back to',
      OIDC,
      ['SVC_OIDC_CLIENT_ID requires SVC_REDIRECT_BASE_URL: the address that people use'],
    ],
    [
      'AU-05 an issuer without a client',
      { SVC_OIDC_ISSUER: 'https://id.example.com' },
      ['SVC_OIDC_ISSUER requires SVC_OIDC_CLIENT_ID'],
    ],
    [
      'AU-05 a client without an issuer',
      { SVC_OIDC_CLIENT_ID: 'o', SVC_OIDC_CLIENT_SECRET: 'os' },
      ['SVC_OIDC_CLIENT_ID requires SVC_OIDC_ISSUER'],
    ],
    [
      'AU-05 an issuer without TLS, a claim that people edit and a label too long',
      {
        ...OIDC,
        SVC_OIDC_ISSUER: 'http://id.example.com',
        SVC_OIDC_EMAIL_CLAIM: 'preferred_username',
        SVC_OIDC_LABEL: 'x'.repeat(61),
        SVC_REDIRECT_BASE_URL: 'https://app.example.com',
      },
      [
        'SVC_OIDC_ISSUER must be an https address without query (http only for localhost, 127.0.0.1 and [::1])',
        'SVC_OIDC_EMAIL_CLAIM cannot be preferred_username, which people can often change themselves: name a claim that holds only verified email addresses',
        'SVC_OIDC_LABEL must have at most 60 characters',
      ],
    ],
    [
      'AU-05 a claim that is no name',
      { ...OIDC, SVC_OIDC_EMAIL_CLAIM: 'a b', SVC_REDIRECT_BASE_URL: 'https://app.example.com' },
      ['SVC_OIDC_EMAIL_CLAIM must be the name of a claim'],
    ],
    [
      'AU-05 a client id without its secret',
      { SVC_GOOGLE_CLIENT_ID: 'a', SVC_MICROSOFT_CLIENT_SECRET: 'b' },
      [
        'SVC_GOOGLE_CLIENT_ID requires SVC_GOOGLE_CLIENT_SECRET',
        'SVC_MICROSOFT_CLIENT_SECRET requires SVC_MICROSOFT_CLIENT_ID',
      ],
    ],
    [
      'AU-05 a tenant that is none',
      { ...MICROSOFT, SVC_MICROSOFT_TENANT_ID: 'example.com', SVC_REDIRECT_BASE_URL: 'https://app.example.com' },
      ['SVC_MICROSOFT_TENANT_ID must be a UUID, common, organizations or consumers'],
    ],
    [
      'AU-05 no tenant',
      { ...MICROSOFT, SVC_MICROSOFT_TENANT_ID: '', SVC_REDIRECT_BASE_URL: 'https://app.example.com' },
      ['SVC_MICROSOFT_CLIENT_ID requires SVC_MICROSOFT_TENANT_ID'],
    ],
    ['AU-22 agents by a company', { ...BY_COMPANY, ...OIDC }, []],
    ['AU-22 agents by one tenant', { ...BY_COMPANY, ...MICROSOFT, SVC_MICROSOFT_TENANT_ID: TENANT }, []],
    ['AU-22 agents by no company', BY_COMPANY, [NO_COMPANY]],
    ['AU-22 agents by no company of a cluster', { ...CLUSTER, ...BY_COMPANY }, [NO_COMPANY]],
    ['AU-22 agents by Google', { ...BY_COMPANY, ...GOOGLE }, [NO_COMPANY]],
    ['AU-22 agents by all companies at once', { ...BY_COMPANY, ...MICROSOFT }, [NO_COMPANY]],
    [
      'AU-22 agents by the tenant of personal accounts',
      { ...BY_COMPANY, ...MICROSOFT, SVC_MICROSOFT_TENANT_ID: CONSUMERS_TENANT },
      [NO_COMPANY],
    ],
    [
      'AU-05 nowhere to come back to',
      GOOGLE,
      ['SVC_GOOGLE_CLIENT_ID requires SVC_REDIRECT_BASE_URL: the address that people use'],
    ],
    [
      'NO-10 a chat app without its secret, and nowhere to come back to',
      { SVC_SLACK_CLIENT_ID: 's' },
      [
        'SVC_SLACK_CLIENT_ID requires SVC_SLACK_CLIENT_SECRET',
        'SVC_SLACK_CLIENT_ID requires SVC_REDIRECT_BASE_URL: the address that people use',
      ],
    ],
    [
      'NO-10 the secret of no chat app',
      { SVC_SLACK_CLIENT_SECRET: 's' },
      ['SVC_SLACK_CLIENT_SECRET requires SVC_SLACK_CLIENT_ID'],
    ],
    [
      'AU-05 addresses people should not be sent to',
      {
        SVC_REDIRECT_BASE_URL: 'http://app.example.com',
        SVC_ALLOWED_REDIRECT_BASE_URLS:
          'https://a.test, http://localhost:3000, https://b.test?x, ftp://c.test, https://u@d.test',
      },
      [
        'SVC_REDIRECT_BASE_URL must be https addresses without query (http only for localhost, 127.0.0.1 and [::1])',
        ...Array.from(
          { length: 3 },
          () =>
            'SVC_ALLOWED_REDIRECT_BASE_URLS must be https addresses without query (http only for localhost, 127.0.0.1 and [::1])',
        ),
      ],
    ],
    [
      'AU-05 an own address with a path',
      { SVC_REDIRECT_BASE_URL: 'https://a.test/app' },
      ['SVC_REDIRECT_BASE_URL must have no path, because /auth is directly below it'],
    ],
    [
      'AU-09 a hosted sign-in with nowhere to come back to',
      { AUTH_SERVICE_URL: 'https://auth.example.com', AUTH_LOGIN_URL: 'https://auth.example.com' },
      ['AUTH_LOGIN_URL requires SVC_REDIRECT_BASE_URL: the address that people return to'],
    ],
    [
      'AU-09 tokens of a hosted auth service without its address',
      { ...APART, SVC_SERVICES: 'worker', DEPLOY_API_URL: 'http://deploy', SVC_AUTH_API_TOKEN: 'svc_'.padEnd(53, 'a') },
      ['AUTH_SERVICE_URL is required with SVC_AUTH_API_TOKEN: the address of the hosted auth service'],
    ],
    [
      'AU-09 tokens of a hosted auth service beside an own one',
      { SVC_AUTH_API_TOKEN: 'svc_'.padEnd(53, 'a') },
      ['SVC_AUTH_API_TOKEN is for a hosted auth service, but auth-service runs in this process: remove it'],
    ],
    [
      'AU-09 tokens that cannot be sent, and too many',
      { AUTH_SERVICE_URL: 'https://auth.example.com', SVC_AUTH_API_TOKEN: `${'x,'.repeat(100)}a b` },
      [
        'SVC_AUTH_API_TOKEN must be comma-separated API tokens of the hosted auth service',
        'SVC_AUTH_API_TOKEN has 101 tokens, but at most 100 are allowed',
      ],
    ],
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

  it('AU-05 the providers and where people come back to', () => {
    const { signIn } = readSettings({
      ...GOOGLE,
      ...MICROSOFT,
      ...OIDC,
      SVC_REDIRECT_BASE_URL: 'https://App.Example.com/',
      SVC_ALLOWED_REDIRECT_BASE_URLS: 'https://a.test/,https://b.test/team/',
    })
    expect(signIn).toEqual({
      google: { clientId: 'g', clientSecret: 'gs' },
      microsoft: { clientId: 'm', clientSecret: 'ms', tenantId: 'organizations' },
      oidc: {
        clientId: 'o',
        clientSecret: 'os',
        issuer: 'https://id.example.com/realms/Staff/',
        emailClaim: 'email',
        label: 'single sign-on',
      },
      redirectBaseUrl: 'https://app.example.com',
      allowedRedirectBaseUrls: ['https://a.test', 'https://b.test/team'],
    })
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
      authApiTokens: [],
    })
  })

  it('AU-09 tokens of a hosted auth service, one per organization', () => {
    const tokens = ['svc_'.padEnd(53, 'a'), 'svc_'.padEnd(53, 'b')]
    const env = { AUTH_SERVICE_URL: 'https://auth.example.com', SVC_AUTH_API_TOKEN: ` ${tokens.join(' , ')},` }
    expect(readSettings(env).secrets.authApiTokens).toEqual(tokens)
  })

  it('DS-18 how many questions an organization may ask', () => {
    expect(readSettings({}).questions).toEqual({
      perMinute: 60,
      perDay: 5000,
      measuresIndexes: true,
      watchesVectors: true,
      rowTextToProviders: false,
    })
    const env = { SVC_QUESTIONS_PER_MINUTE: '7', SVC_QUESTIONS_PER_DAY: '0' }
    expect(readSettings(env)).toMatchObject({ questions: { perMinute: 7, perDay: 0 }, warnings: [] })
  })

  it('DS-24 AI providers and the gateway’s allowance', () => {
    expect(readSettings({}).ai).toEqual({ providers: [], tokensPerDay: 5_000_000, agentTokensPerDay: 1_000_000 })
    const models = [{ name: 'small', dimensions: 3 }]
    const entries = [
      { name: 'acme', base_url: 'http://10.0.0.1:11434/v1/', kind: 'openai' },
      { name: 'other-1', base_url: 'https://api.example.com', api_key: 'sk-1', kind: 'openai', models },
    ]
    const env = {
      SVC_AI_PROVIDERS: JSON.stringify(entries),
      SVC_GATEWAY_TOKENS_PER_DAY: '10',
      SVC_AGENT_TOKENS_PER_DAY: '0',
    }
    expect(readSettings(env)).toMatchObject({
      ai: {
        providers: [
          { name: 'acme', baseUrl: 'http://10.0.0.1:11434/v1', apiKey: undefined, kind: 'openai', models: undefined },
          {
            name: 'other-1',
            baseUrl: 'https://api.example.com',
            apiKey: 'sk-1',
            kind: 'openai',
            models: [{ name: 'small', dimensions: 3, chat: false, tools: false }],
            outputLimitKey: 'max_tokens',
          },
        ],
        tokensPerDay: 10,
        agentTokensPerDay: 0,
      },
      warnings: [],
    })
  })

  it('DS-24 a model makes embeddings if it has dimensions and chats if it has none, unless the entry says otherwise', () => {
    const entry = { name: 'a', base_url: 'https://api.example.com', kind: 'openai' }
    const models = [
      { name: 'vectors', dimensions: 3 },
      { name: 'both', dimensions: 3, chat: true },
      { name: 'talk' },
      { name: 'plain', tools: false },
    ]
    const env = { SVC_AI_PROVIDERS: JSON.stringify([{ ...entry, models }]) }
    expect(readSettings(env).ai.providers[0]!.models).toEqual([
      { name: 'vectors', dimensions: 3, chat: false, tools: false },
      { name: 'both', dimensions: 3, chat: true, tools: true },
      { name: 'talk', dimensions: undefined, chat: true, tools: true },
      { name: 'plain', dimensions: undefined, chat: true, tools: false },
    ])
  })

  it.each([
    ['https://api.openai.com/v1', undefined, 'max_completion_tokens'],
    ['https://me.openai.azure.com/openai/v1', undefined, 'max_completion_tokens'],
    ['https://api.notopenai.com/v1', undefined, 'max_tokens'],
    ['http://10.0.0.1:11434/v1', undefined, 'max_tokens'],
    ['http://10.0.0.1:11434/v1', 'max_completion_tokens', 'max_completion_tokens'],
    ['https://api.openai.com/v1', 'max_tokens', 'max_tokens'],
  ])('DS-24 %s with output_limit_key %s gets the output limit as %s', (base_url, output_limit_key, expected) => {
    const env = { SVC_AI_PROVIDERS: JSON.stringify([{ name: 'a', base_url, kind: 'openai', output_limit_key }]) }
    expect(readSettings(env).ai.providers[0]!.outputLimitKey).toBe(expected)
  })

  it.each<[object, string]>([
    [
      { kind: 'anthropic', models: [{ name: 'm', dimensions: 3 }] },
      '.models.0 must have no dimensions: Anthropic has no embeddings',
    ],
    [{ models: [{ name: 'm', chat: false }] }, '.models.0 must have dimensions or chat, otherwise it can do nothing'],
    [{ models: [{ name: 'm', dimensions: 3, tools: true }] }, '.models.0 must have chat to have tools'],
    [{ models: [{ name: 'm', chat: 'yes' }] }, '.models.0.chat must be true or false'],
    [{ output_limit_key: 'limit' }, '.output_limit_key must be max_tokens or max_completion_tokens'],
  ])('DS-24 a provider with %j is refused', (over, fault) => {
    const entry = { name: 'a', base_url: 'https://api.example.com', kind: 'openai', ...over }
    const env = { SVC_AI_PROVIDERS: JSON.stringify([entry]) }
    expect(faultsOf(env)).toEqual([`SVC_AI_PROVIDERS entry 1${fault}`])
  })

  it('OP-03 a stop drains for 5 seconds where requests can go elsewhere, and not at all on one machine', () => {
    expect(readSettings({}).drainSeconds).toBe(0)
    expect(readSettings(CLUSTER).drainSeconds).toBe(5)
    expect(readSettings({ ...CLUSTER, SVC_DRAIN_SECONDS: '30' }).drainSeconds).toBe(30)
  })

  it('the same settings are known whichever way the server runs', () => {
    const env = {
      ...CLUSTER,
      ...GOOGLE,
      SVC_REDIRECT_BASE_URL: 'https://app.example.com',
      KUBERNETES_SERVICE_HOST: '10.96.0.1',
      SVC_SERVICES: 'worker',
      DEPLOY_API_URL: 'http://deploy',
    }
    expect([...readSettings(env).names].sort()).toEqual([...readSettings({}).names].sort())
  })

  const DEFAULTS = {
    hostedAudience: 'svc-control-plane',
    projectedAudience: 'svc-control-plane',
    credentialsDir: '/var/run/secrets/kubernetes.io/serviceaccount',
  }
  const POD = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT_HTTPS: '6443' }
  const ACCEPTED = { audience: 'svc-control-plane', apiServer: 'https://10.96.0.1:6443' }

  it.each<[string, Environment, object]>([
    ['outside a cluster only apps that svc runs as processes have one', {}, { accepted: undefined }],
    ['the same where it is switched on', { WORKLOAD_IDENTITY_ENABLED: 'true' }, { accepted: undefined }],
    ['in a cluster it is on', POD, { accepted: ACCEPTED }],
    [
      'the port is 443',
      { KUBERNETES_SERVICE_HOST: 'k8s' },
      { accepted: { ...ACCEPTED, apiServer: 'https://k8s:443' } },
    ],
    [
      'IPv6 gets its brackets',
      { ...POD, KUBERNETES_SERVICE_HOST: 'fd00::1' },
      { accepted: { ...ACCEPTED, apiServer: 'https://[fd00::1]:6443' } },
    ],
    [
      'auth-service switches it off',
      { ...POD, WORKLOAD_IDENTITY_ENABLED: 'false' },
      { accepted: undefined, hostedAudience: undefined },
    ],
    ['an empty switch counts as not set', { ...POD, WORKLOAD_IDENTITY_ENABLED: '' }, { accepted: ACCEPTED }],
    [
      'deploy-api switches it off',
      { ...POD, SVC_WORKLOAD_AUDIENCE: '' },
      { accepted: ACCEPTED, projectedAudience: undefined },
    ],
    [
      'the audience is overridden on both sides',
      { ...POD, WORKLOAD_AUDIENCE: 'ours', SVC_WORKLOAD_AUDIENCE: 'ours' },
      { accepted: { ...ACCEPTED, audience: 'ours' }, hostedAudience: 'ours', projectedAudience: 'ours' },
    ],
    ['an empty WORKLOAD_AUDIENCE counts as not set', { ...POD, WORKLOAD_AUDIENCE: ' ' }, { accepted: ACCEPTED }],
    [
      'the folder of credentials',
      { SVC_KUBERNETES_CREDENTIALS_DIR: '/run/pod' },
      { accepted: undefined, credentialsDir: '/run/pod' },
    ],
  ])('AU-15 workload identity: %s', (_, env, expected) => {
    const settings = readSettings(env)
    const { apiServer, ...workload } = settings.workload
    expect(workload).toEqual({ ...DEFAULTS, ...expected })
    expect(apiServer !== undefined).toBe(env.KUBERNETES_SERVICE_HOST !== undefined)
    expect(settings.warnings).toEqual([])
  })
})

it('OP-02 the address without the pooler is refused where there is no database for it', () => {
  const direct = { DATABASE_DIRECT_URL: 'postgres://db.internal/svc' }
  expect(() => readSettings(direct)).toThrow(
    'DATABASE_DIRECT_URL requires DATABASE_URL, which is the address of the same database',
  )
})

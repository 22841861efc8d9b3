import { expect, it } from 'vitest'
import { readSettings } from './config.ts'
import { ConfigError, type Environment } from './reader.ts'

it.each<[string, Environment, string[]]>([
  ['two letters swapped', { SVC_DATA_KYE: 'x' }, ['SVC_DATA_KYE is not a setting of svc. Did you mean SVC_DATA_KEY?']],
  ['a letter left out', { SVC_SERVCES: 'x' }, ['SVC_SERVCES is not a setting of svc. Did you mean SVC_SERVICES?']],
  [
    'a letter too many',
    { SVC_TRUSTED_PROXYIES: 'x' },
    ['SVC_TRUSTED_PROXYIES is not a setting of svc. Did you mean SVC_TRUSTED_PROXIES?'],
  ],
  ['the nearest of two', { SVC_DATA_KEYS: 'x' }, ['SVC_DATA_KEYS is not a setting of svc. Did you mean SVC_DATA_KEY?']],
  [
    'a prefix that the setting does not have',
    { SVC_DATABASE_URL: 'x', SVC_PORTS: '1' },
    [
      'SVC_DATABASE_URL is not a setting of svc. Did you mean DATABASE_URL?',
      'SVC_PORTS is not a setting of svc. Did you mean PORT?',
    ],
  ],
  ['nothing like it', { SVC_COLOUR: 'x' }, ['SVC_COLOUR is not a setting of the server and has no effect']],
  ['variables of the client', { SVC_API_URL: 'x', SVC_API_KEY: 'x', SVC_CONTEXT: 'x', SVC_CONFIG_DIR: '/etc' }, []],
  ['variables of others', { OTHER: 'x', SVCS: 'x', SVC_TEST_DATABASE_URL: 'x' }, []],
  [
    'what Kubernetes adds for a Service named svc-auth',
    {
      SVC_AUTH_SERVICE_HOST: '10.0.0.1',
      SVC_AUTH_SERVICE_PORT: '80',
      SVC_AUTH_SERVICE_PORT_HTTP: '80',
      SVC_AUTH_PORT: 'tcp://10.0.0.1:80',
      SVC_AUTH_PORT_80_TCP: 'tcp://10.0.0.1:80',
      SVC_AUTH_PORT_80_TCP_ADDR: '10.0.0.1',
    },
    [],
  ],
])('an unknown setting is reported with the one that was probably meant: %s', (_, env, warnings) => {
  expect(readSettings(env).warnings).toEqual(warnings)
})

it('a misspelt setting is named beside the fault that it causes', () => {
  const env = {
    DATABASE_URL: 'postgres://u:p@db.internal/svc',
    SVC_DATA_KYE: 'ab'.repeat(32),
    SVC_INTERNAL_SECRET: 'ab'.repeat(32),
    SVC_JWT_SECRET: 'ab'.repeat(32),
    SVC_JWT_SIGNING_KEY: 'ab'.repeat(32),
    SVC_COLOUR: 'x',
  }
  expect(() => readSettings(env)).toThrow(
    new ConfigError([
      'SVC_DATA_KEY is required with DATABASE_URL: 32 random bytes as hex (openssl rand -hex 32)',
      'SVC_DATA_KYE is not a setting of svc. Did you mean SVC_DATA_KEY?',
    ]),
  )
})

import { expect, it } from 'vitest'
import { readDatabaseServers } from './database-servers.ts'
import { EnvironmentReader } from './reader.ts'

const URL = 'postgres://svc:secret-1@db2.internal/postgres'
const GB = 1024 ** 3

function readAll(text: string | undefined, databaseUrl: string | undefined = 'postgres://u:p@db/svc') {
  const read = new EnvironmentReader({ SVC_DATABASE_SERVERS: text })
  const servers = readDatabaseServers(read, databaseUrl)
  return { servers, faults: read.faults }
}

const json = (...list: unknown[]) => JSON.stringify(list)

it.each([
  [undefined, [{ name: 'platform', state: 'open' }]],
  [
    json({ name: 'two', url: URL }),
    [
      { name: 'platform', state: 'open' },
      { name: 'two', state: 'open', url: URL },
    ],
  ],
  [
    json(
      { name: 'two', url: URL, public_host: 'db2.example.com:6432', state: 'draining', max_databases: 3, max_gb: 2 },
      { name: 'platform', state: 'full', replica_url: URL },
    ),
    [
      { name: 'platform', state: 'full', replica: { url: URL, maxLagSeconds: 10 } },
      {
        name: 'two',
        url: URL,
        publicHost: 'db2.example.com:6432',
        state: 'draining',
        maxDatabases: 3,
        maxBytes: 2 * GB,
      },
    ],
  ],
])('OP-02 SVC_DATABASE_SERVERS=%s names the platform’s own server first', (text, expected) => {
  expect(readAll(text)).toEqual({ servers: expected, faults: [] })
})

const SHAPE =
  'SVC_DATABASE_SERVERS must be a JSON list of {"name", "url", "public_host", "state", "max_databases", "max_gb", "replica_url", "replica_max_lag_seconds"}'
it.each([
  ['secret-1', SHAPE],
  ['{}', SHAPE],
  [json(1), 'SVC_DATABASE_SERVERS entry 1 must be an object'],
  [json({ name: 'two' }), 'SVC_DATABASE_SERVERS entry 1.url required'],
  [json({ url: URL }), 'SVC_DATABASE_SERVERS entry 1.name must be a text'],
  [
    json({ name: 'Two', url: URL }),
    'SVC_DATABASE_SERVERS entry 1.name must be at most 32 lower-case letters, digits and dashes',
  ],
  [
    json({ name: 'two', url: 'https://db2' }),
    'SVC_DATABASE_SERVERS entry 1.url must be an address beginning with postgres:// or postgresql://',
  ],
  [
    json({ name: 'two', url: URL, state: 'closed' }),
    'SVC_DATABASE_SERVERS entry 1.state must be open, full or draining',
  ],
  [
    json({ name: 'two', url: URL, replica_url: 'secret-1' }),
    'SVC_DATABASE_SERVERS entry 1.replica_url must be an address beginning with postgres:// or postgresql://',
  ],
  [
    json({ name: 'two', url: URL, replica_max_lag_seconds: 5 }),
    'SVC_DATABASE_SERVERS entry 1.replica_max_lag_seconds requires replica_url',
  ],
  [json({ name: 'two', url: URL, max_gb: 0 }), 'SVC_DATABASE_SERVERS entry 1.max_gb must be at least 1'],
  [
    json({ name: 'two', url: URL, public_host: 'a b' }),
    'SVC_DATABASE_SERVERS entry 1.public_host must be a host, or host:port',
  ],
  [json({ name: 'two', url: URL, password: 'secret-1' }), 'SVC_DATABASE_SERVERS entry 1 has an unknown key'],
  [json({ name: 'two', url: URL }, { name: 'two', url: URL }), 'SVC_DATABASE_SERVERS names a server twice'],
  [
    json({ name: 'platform', url: URL }),
    'SVC_DATABASE_SERVERS entry 1 must have no url and no public_host: platform is the server of DATABASE_URL, and SVC_DATABASES_PUBLIC_HOST is its public host',
  ],
])('OP-02 SVC_DATABASE_SERVERS=%s is refused in words without any password', (text, fault) => {
  const { faults } = readAll(text)
  expect(faults).toEqual([fault])
  expect(faults.join()).not.toContain('secret-1')
})

it('OP-02 SVC_DATABASE_SERVERS without DATABASE_URL is refused', () => {
  const read = new EnvironmentReader({ SVC_DATABASE_SERVERS: json({ name: 'two', url: URL }) })
  readDatabaseServers(read, undefined)
  expect(read.faults).toEqual([
    'SVC_DATABASE_SERVERS requires DATABASE_URL: the embedded database keeps managed databases itself',
  ])
})

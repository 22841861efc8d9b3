import { expect, it } from 'vitest'
import { DataKeyRefused } from '#lib/crypto/data-keys.ts'
import { DatabaseUnavailable, readOnlyDatabase } from '#lib/db/errors.ts'
import { MigrationRefused } from '#lib/db/migrate/refusal.ts'
import { PoolerRefused } from '#lib/db/postgres-listener.ts'
import { FolderInUse } from '#lib/files/folder-lock.ts'
import { ConfigError } from '../config/reader.ts'
import { InstallationInUse } from './installation-lock.ts'
import { startFault } from './start-fault.ts'

const AT = { host: '10.9.9.9', port: 8080, dataDir: '/data' }
const coded = (code: string) => Object.assign(new Error('inner'), { code })
const refused = new AggregateError([new Error('connect ECONNREFUSED 127.0.0.1:5432')])

it.each([
  [new ConfigError(['PORT is wrong']), 'The configuration has an error:\n  - PORT is wrong'],
  [new FolderInUse('/data is in use by process 7'), '/data is in use by process 7'],
  [new InstallationInUse('Another process uses it'), 'Another process uses it'],
  [new DataKeyRefused('key 1a2b3c4d is not configured'), 'key 1a2b3c4d is not configured'],
  [new MigrationRefused('auth/0001 failed', { cause: new Error('no disk') }), 'auth/0001 failed (no disk)'],
  [
    new DatabaseUnavailable('gone', { cause: refused }),
    'Cannot reach the database: connect ECONNREFUSED 127.0.0.1:5432. Check DATABASE_URL.',
  ],
  [new PoolerRefused(), expect.stringContaining('Set DATABASE_DIRECT_URL to the address of Postgres itself')],
  [
    new Error('unsupported startup parameter: statement_timeout'),
    expect.stringContaining('A connection pooler such as PgBouncer stands before Postgres.'),
  ],
  [coded('ENOSPC'), 'Cannot write to /data: the disk is full; free some space.'],
  [coded('EROFS'), 'Cannot write to /data: the disk is read-only; make it writable.'],
  [new Error('database or disk is full'), 'Cannot write to /data: the disk is full; free some space.'],
  [readOnlyDatabase(), 'Nothing can be saved: the database is read-only: it is a standby, or is set to read-only.'],
  [
    coded('EADDRINUSE'),
    'Port 8080 is in use. Stop the program that uses it, or set PORT to another port (0 chooses a free one).',
  ],
  [coded('EADDRNOTAVAIL'), 'This machine has no address 10.9.9.9. Set HOST to one of its addresses.'],
  [coded('ENOTDIR'), '/data is not a folder. Set SVC_DATA_DIR to a folder.'],
  [coded('EEXIST'), '/data is not a folder. Set SVC_DATA_DIR to a folder.'],
])('%s', (error, words) => {
  expect(startFault(error, AT)).toEqual(words)
})

it('an unexpected error is printed with its stack and without secrets', () => {
  const text = startFault(new Error('bad postgres://u:hunter2@db/x'), AT)
  expect(text).toContain('    at ')
  expect(text).not.toContain('hunter2')
})

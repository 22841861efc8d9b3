import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgres } from '#lib/db/postgres.ts'
import { script } from '#lib/db/sql.ts'
import { startProcess, untilReady } from '#test/programs/processes.ts'
import { svcServer } from '#test/programs/svc-server.ts'
import { needs, stores } from '#test/stores.ts'
import { onServer, withDatabase } from '#test/suite/global-setup.ts'
import { testEnvironment } from '#test/system.ts'
import type { Environment } from '../../src/server/config/reader.ts'

const NOTHING = 'Nothing to do: the database has every migration of this version.\n'

let dataDir: string
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-migrate-'))
})
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

needs('postgres')('OP-02 migrating apart from the servers', () => {
  const name = `svc_test_${randomBytes(6).toString('hex')}`
  const url = () => withDatabase(stores.postgres!, name)
  let base: Environment
  const servers = (env: Environment = {}) => ({ ...base, ...env })
  const change = async (statements: string) => {
    await using db = openPostgres({ url: url(), onError: () => undefined })
    await db.query(script(statements))
  }
  beforeAll(async () => {
    await onServer(stores.postgres!, `create database ${name}`)
    base = testEnvironment(url(), dataDir)
  })
  afterAll(() => onServer(stores.postgres!, `drop database ${name} with (force)`))

  it('a server that may not migrate does not start on an empty database and names the command', async () => {
    await expect(startProcess(servers({ SVC_MIGRATE: 'off' }))).rejects.toThrow(
      /svc cannot start: The database lacks lib\/0001_spine\.sql, .* Run "svc-server migrate" of this version/,
    )
  })

  it('svc-server migrate needs the address of the database alone and prints each migration, once', async () => {
    const done = await svcServer({ DATABASE_URL: url(), SVC_MIGRATE: 'off' }, 'migrate')
    expect(done).toMatchObject({ exit: 0, stderr: '' })
    expect(done.stdout.split('\n').slice(0, 2)).toEqual([
      'Applied lib/0001_spine.sql',
      'Applied lib/0002_data_keys.sql',
    ])
    expect(await svcServer({ DATABASE_URL: url() }, 'migrate')).toEqual({ exit: 0, stdout: NOTHING, stderr: '' })
    await using server = await startProcess(servers({ SVC_MIGRATE: 'off' }))
    await untilReady(server)
  })

  it('after a rollback a server runs on the newer schema, unless a migration says that it cannot', async () => {
    await change(`
      insert into public.svc_migrations (area, name, checksum, former_release)
      values ('lib', '9001_more.sql', 'x', 'runs')`)
    await using server = await startProcess(servers())
    await untilReady(server)
    const reseal = await svcServer(servers(), 'reseal')
    expect(reseal).toMatchObject({ exit: 6, stdout: '' })
    expect(reseal.stderr).toContain(
      'The database was migrated by a newer version. Run the reseal command of that version.',
    )
    await change(`
      insert into public.svc_migrations (area, name, checksum, former_release, reason)
      values ('lib', '9002_less.sql', 'x', 'stops', 'it empties svc.outbox')`)
    const words = 'cannot run on the result of:\n  - lib/9002_less.sql: it empties svc.outbox\nStart the newer version'
    await expect(startProcess(servers())).rejects.toThrow(words)
    const migrate = await svcServer({ DATABASE_URL: url() }, 'migrate')
    expect(migrate).toMatchObject({ exit: 6, stdout: '' })
    expect(migrate.stderr).toContain(words)
  })
})

describe('OP-02 migrating the embedded database by command', () => {
  it('needs a database in the data folder, and says that one is up to date', async () => {
    const folder = join(dataDir, 'nowhere')
    const nowhere = await svcServer({ SVC_DATA_DIR: folder }, 'migrate')
    expect(nowhere).toMatchObject({ exit: 4, stdout: '' })
    expect(nowhere.stderr).toContain(`There is no database in ${folder}. Set SVC_DATA_DIR to the data folder.`)
    const server = await startProcess({ PORT: '0', SVC_DATA_DIR: dataDir, SVC_EXAMPLE: 'false' })
    const busy = await svcServer({ SVC_DATA_DIR: dataDir }, 'migrate')
    expect(busy).toMatchObject({ exit: 6, stdout: '' })
    expect(busy.stderr).toContain('Stop the server first')
    await server[Symbol.asyncDispose]()
    expect(await svcServer({ SVC_DATA_DIR: dataDir }, 'migrate')).toEqual({ exit: 0, stdout: NOTHING, stderr: '' })
  })
})

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPostgres } from '#lib/db/postgres.ts'
import { script, sql } from '#lib/db/sql.ts'
import { startTestArea, type TestArea } from '#test/databases/databases-area.ts'
import { prepareAsGuide } from '#test/databases/guide-role.ts'
import { connectTo } from '#test/databases/managed-databases.ts'
import { type OwnPlatform, startOwnPlatform } from '#test/databases/own-platform.ts'
import { type OwnPostgres, startOwnPostgres } from '#test/databases/own-postgres.ts'
import { runIn } from '#test/sources/configured-source.ts'
import { needs } from '#test/stores.ts'
import { testEnvironment } from '#test/system.ts'
import type { DatabaseRow } from '../../areas/databases/model/store.ts'
import { runBackup } from './command.ts'
import { runRestore } from './restore.ts'

/** The role of the platform is no superuser, on either server. */
needs('postgres')('OP-05 a backup of Postgres', () => {
  const stack = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'svc-backup-test-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  let platform: OwnPlatform
  let second: OwnPostgres
  let secondUrl: string
  let area: TestArea
  let notes: DatabaseRow
  let lines: string[]
  const key = { privateKey: '', publicKey: '' }
  const print = (line: string) => void lines.push(line)

  beforeAll(async () => {
    const [first, other] = await Promise.all([
      startOwnPlatform({ prepare: prepareAsGuide }),
      startOwnPostgres({ fsync: 'off' }),
    ])
    platform = stack.use(first)
    second = stack.use(other)
    secondUrl = await prepareAsGuide(second)
    area = stack.use(startTestArea(platform.db, platform.url))
    notes = await area.make('notes')
    await inNotes(`
      create table public.notes (id int primary key, embedding vector(3));
      insert into public.notes select n, '[1,2,3]' from generate_series(1, 20) n;
      create index on public.notes using hnsw (embedding vector_l2_ops);
      grant select on public.notes to ${notes.reader_role};
      alter role ${notes.owner_role} set work_mem = '7MB'`)
    key.privateKey = await generateX25519Identity()
    key.publicKey = await identityToRecipient(key.privateKey)
    lines = []
  })
  afterAll(() => stack.disposeAsync())

  const inNotes = (text: string) => runIn(area.ownerUrl(notes), text)
  const onSecond = () => Object.assign(new URL(area.ownerUrl(notes)), { host: new URL(second.url).host }).href
  const environmentOf = (url: string) => ({
    ...testEnvironment(url, folder),
    SVC_DATA_KEY: 'ab'.repeat(32),
    PATH: process.env.PATH ?? '',
    SVC_BACKUP_PRIVATE_KEY: key.privateKey,
  })
  const backup = (name: string) =>
    runBackup(environmentOf(platform.url), print, join(folder, name), {
      keyFile: undefined,
      publicKeys: [key.publicKey],
      maxHours: 1,
    })
  const restore = (name: string, options = {}) =>
    runRestore(environmentOf(secondUrl), print, join(folder, name), {
      keyFile: undefined,
      publicKeys: [],
      maxHours: 1,
      secretsTo: join(folder, `${name}.env`),
      withoutMissing: false,
      keepPort: false,
      ...options,
    })
  const emptySecond = async () => {
    await second.psql(`drop database svc`)
    for (const name of [notes.physical_name]) await second.psql(`drop database if exists ${name} with (force)`)
    await second.psql(`create database svc owner svc`)
  }

  it('OP-05 is restored to another server, with rows, indexes, rights, settings, passwords and secrets', async () => {
    await backup('one.age')
    expect(statSync(join(folder, 'one.age')).mode & 0o777).toBe(0o600)
    await restore('one.age')
    expect(await runIn(onSecond(), 'select count(*)::int as n from public.notes')).toEqual([{ n: 20 }])
    expect(await runIn(onSecond(), 'show work_mem')).toEqual([{ work_mem: '7MB' }])
    const rights = `select has_table_privilege('${notes.reader_role}', 'public.notes', 'select') as may,
      (select count(*)::int from pg_indexes where tablename = 'notes') as indexes`
    expect(await runIn(onSecond(), rights)).toEqual([{ may: true, indexes: 2 }])
    await using restored = openPostgres({ url: secondUrl, onError: () => undefined })
    expect(await restored.query(sql`select name, state from databases.databases`)).toEqual([
      { name: 'notes', state: 'ready' },
    ])
    expect(readFileSync(join(folder, 'one.age.env'), 'utf8')).toContain(`SVC_DATA_KEY=${'ab'.repeat(32)}\n`)
    // Nothing of the work is left on the server that was backed up.
    expect(await platform.db.query(sql`select rolname from pg_roles where rolname like 'm\\_%'`)).toEqual([])
  })

  it('OP-05 a killed backup leaves a role, with which the next one is made', async () => {
    const left = notes.owner_role.replace('o_', 'm_')
    await platform.db.query(script(`create role ${left} login password 'left'; grant ${notes.owner_role} to ${left}`))
    await backup('after.age')
    expect(await platform.db.query(sql`select rolname from pg_roles where rolname like 'm\\_%'`)).toEqual([])
  })

  it('OP-05 a restore to a database that is not empty is refused, and nothing is changed', async () => {
    await expect(restore('one.age', { secretsTo: join(folder, 'other.env') })).rejects.toThrow(
      'The database is not empty',
    )
    expect(existsSync(join(folder, 'other.env'))).toBe(false)
  })

  it('OP-05 an interrupted restore can be run again, and no server starts before', async () => {
    await emptySecond()
    await second.psql(`drop role if exists ${notes.owner_role}; drop role if exists ${notes.reader_role}`)
    // The owner may not be created: it fails after the platform was restored.
    await second.psql(`create role ${notes.reader_role} superuser`)
    await expect(restore('one.age', { secretsTo: join(folder, 'two.env') })).rejects.toThrow()
    await second.psql(`drop role ${notes.reader_role}`)
    const { prepareSchema } = await import('../../process/schema.ts')
    await using half = openPostgres({ url: secondUrl, onError: () => undefined })
    await expect(prepareSchema(half, { mayMigrate: true }, { info() {}, warn() {} } as never)).rejects.toThrow(
      'A restore of this database did not finish.',
    )
    // A program of the interrupted restore goes on, and holds what the next one has to remove.
    await using orphan = await connectTo(`${secondUrl}?application_name=svc`)
    await orphan.query('begin; lock table databases.databases')
    await restore('one.age', { secretsTo: join(folder, 'two.env') })
    expect(await runIn(onSecond(), 'select count(*)::int as n from public.notes')).toEqual([{ n: 20 }])
  })

  it('OP-05 the locks and policies of a tenant fail its own part only', async () => {
    const other = await area.make('other')
    await runIn(area.ownerUrl(other), 'create table public.t (id int); insert into public.t values (1)')
    await using session = await connectTo(area.ownerUrl(notes))
    await session.query('begin; lock table public.notes in access exclusive mode')
    await expect(backup('locked.age')).rejects.toThrow(`The backup lacks notes (${notes.id})`)
    await session.query('rollback')
    await inNotes(
      'alter table public.notes enable row level security; alter table public.notes force row level security',
    )
    await expect(backup('policy.age')).rejects.toThrow(`The backup lacks notes (${notes.id})`)
    await inNotes(
      'alter table public.notes no force row level security; alter table public.notes disable row level security',
    )
    await emptySecond()
    const secretsTo = join(folder, 'three.env')
    await expect(restore('locked.age', { secretsTo })).rejects.toThrow('With --without-missing everything else')
    await restore('locked.age', { secretsTo, withoutMissing: true })
    await using restored = openPostgres({ url: secondUrl, onError: () => undefined })
    expect(await restored.query(sql`select name, state from databases.databases order by name`)).toEqual([
      { name: 'notes', state: 'dropping' },
      { name: 'other', state: 'ready' },
    ])
  })
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Client } from '#contract/core/client.ts'
import { configureSource, getSource } from '#contract/data-sources/search-config.ts'
import { exposeSource, listSources, querySource, switchSource } from '#contract/data-sources/sources.ts'
import { createDatabase, databaseSizes, dropDatabase, dumpDatabase, readConnection } from '#contract/databases.ts'
import { sql } from '#lib/db/sql.ts'
import { createLog } from '#lib/log/log.ts'
import { prepareAsGuide } from '#test/databases/guide-role.ts'
import { FORBIDDEN, foreignRuns, hostileSql, runsOn, SWAP_SEQUENCE_SQL } from '#test/databases/hostile-database.ts'
import { codeOf, connectTo } from '#test/databases/managed-databases.ts'
import { type OwnPlatform, startOwnPlatform } from '#test/databases/own-platform.ts'
import { type OwnPostgres, startOwnPostgres } from '#test/databases/own-postgres.ts'
import { startPgbouncer } from '#test/databases/pgbouncer.ts'
import { holdDataDump } from '#test/databases/slow-dump.ts'
import { type FakeEmbeddings, startFakeEmbeddings } from '#test/outside/fake-embeddings.ts'
import { runIn } from '#test/sources/configured-source.ts'
import { fakeConfiguration } from '#test/sources/sources.ts'
import { needs } from '#test/stores.ts'
import { withDatabase } from '#test/suite/global-setup.ts'
import { type System, startSystem, testEnvironment } from '#test/system.ts'
import { until } from '#test/until.ts'
import { runJobs } from '#test/work/run-jobs.ts'
import { runBackup } from '../../commands/backup/command.ts'
import { runVerify } from '../../commands/backup/verify.ts'
import { runDatabases } from '../../commands/databases.ts'
import { runDoctor } from '../../commands/doctor/command.ts'
import { createEntrance } from './engine/postgres/entrance.ts'
import { secureJobs } from './life/jobs.ts'
import type { DatabaseRow } from './model/store.ts'
import { openServers } from './servers/open-servers.ts'

const DATA_KEY = 'ab'.repeat(32)
const NOT_ALLOWED = new Set(['42501', '42P17', '42704', '42883', '22023'])

/** Both servers are prepared as the guide says: the role of the platform is `svc`, which may grant roles. */
needs('postgres')('OP-09 a hostile managed database', () => {
  const stack = new AsyncDisposableStack()
  let fake: FakeEmbeddings
  let platform: OwnPlatform
  let second: OwnPostgres
  let secondUrl: string
  let system: System
  let client: Client
  let notes: DatabaseRow
  let notesUrl: string

  beforeAll(async () => {
    fake = stack.use(await startFakeEmbeddings())
    const [first, other] = await Promise.all([
      startOwnPlatform({ prepare: prepareAsGuide, settings: { max_prepared_transactions: 2 } }),
      startOwnPostgres({ fsync: 'off' }),
    ])
    platform = stack.use(first)
    second = stack.use(other)
    secondUrl = await prepareAsGuide(second)
    const on = { db: platform.db, databaseUrl: platform.url }
    system = stack.use(await startSystem({ on, env: settings() }))
    client = system.client((await system.member('owner')).token)
    notesUrl = await makeHostile('notes')
    notes = await rowOf('notes')
  })
  afterAll(() => stack.disposeAsync())

  const settings = () => ({
    SVC_DATA_KEY: DATA_KEY,
    SVC_AI_PROVIDERS: JSON.stringify([fake.provider('fake')]),
    SVC_DATABASE_SERVERS: JSON.stringify([
      { name: 'platform', max_gb: 1_000_000 },
      { name: 'second', url: secondUrl, state: 'draining' },
    ]),
  })
  const openEnvironment = () => ({
    ...testEnvironment(platform.url, '/nonexistent'),
    SVC_DATA_KEY: DATA_KEY,
    SVC_DATABASE_SERVERS: JSON.stringify([{ name: 'platform' }, { name: 'second', url: secondUrl }]),
    PATH: process.env.PATH,
  })
  const rowOf = async (name: string) => {
    const [row] = await platform.db.query<DatabaseRow>(sql`select * from databases.databases where name = ${name}`)
    return row!
  }
  const makeHostile = async (name: string) => {
    await client.call(createDatabase, { name })
    const { connection_string } = await client.call(readConnection, { name })
    await runIn(connection_string, hostileSql((await rowOf(name)).owner_role))
    return connection_string
  }
  const command = (
    args: string[],
    options: Partial<Parameters<typeof runDatabases>[3]> = {},
    path = process.env.PATH,
  ) =>
    runDatabases({ ...openEnvironment(), PATH: path }, () => undefined, args, {
      to: undefined,
      dryRun: false,
      confirm: false,
      ...options,
    })
  /** Judges by who ran the tenant's code, on both servers, and by what the tenant's role was given. */
  const expectOwnRolesOnly = async () => {
    expect(foreignRuns([...runsOn(platform.server), ...runsOn(second)])).toEqual([])
    const members = `select m.member::regrole::text as member, m.roleid::regrole::text as role
                     from pg_auth_members m where m.member::regrole::text ~ '^[orm]_'`
    for (const { url } of [platform.server, second]) expect(await runIn(url, members)).toEqual([])
  }
  const force = (verb: string) => runIn(notesUrl, `alter table public.guarded ${verb} row level security`)

  it('OP-09 its objects run code as its owner, so that this test would notice another role', async () => {
    await runIn(notesUrl, 'select * from public.seen; update public.laden set domained = 2')
    await runIn(notesUrl, 'select oid operator(public.=) 1 from pg_catalog.pg_class limit 1')
    await force('force')
    await runIn(notesUrl, 'select * from public.guarded')
    await force('no force')
    const objects = new Set(runsOn(platform.server).map(({ object }) => object))
    expect([...objects].toSorted()).toEqual([
      'check',
      'domain',
      'generated',
      'index-constant',
      'index-expression',
      'index-predicate',
      'materialized-view',
      'operator',
      'partition-key',
      'policy',
      'range',
      'rule',
      'statistics',
      'trigger',
      'view',
    ])
  })

  it.each(FORBIDDEN)('OP-09 its owner may not %s', async (statement) => {
    const names = { database: notes.physical_name, platform: 'svc', reader: notes.reader_role }
    const text = statement.replace(/:(database|platform|reader)\b/g, (_, name: keyof typeof names) => names[name])
    expect(NOT_ALLOWED).toContain(await codeOf(runIn(notesUrl, text)))
  })

  it('OP-09 configuring, exposing, showing and asking run its code as its own roles only', async () => {
    const { id } = await client.call(switchSource, { name: 'notes', enabled: true })
    await client.call(configureSource, fakeConfiguration('db_notes', 'articles'))
    await client.call(exposeSource, { id, exposed: true, min_role: 'viewer' })
    for (const table of ['seen', 'laden', 'guarded', 'frozen', 'parted']) {
      await client.call(configureSource, fakeConfiguration('db_notes', table)).catch(() => undefined)
      await client.call(querySource, { id, query: 'sick', filters: { category: 'leave' } }).catch(() => undefined)
    }
    await client.call(configureSource, fakeConfiguration('db_notes', 'articles'))
    await client.call(querySource, { id, query: 'sick', filters: { category: 'leave' } })
    await client.call(getSource, { id })
    await client.call(listSources, {})
    await client.call(databaseSizes, { names: 'notes' })
    await expectOwnRolesOnly()
  })

  it('OP-09 dumping it as SQL runs its code as its own roles only', async () => {
    const parts = await Array.fromAsync(client.stream(dumpDatabase, { name: 'notes' }))
    expect(parts.at(-1)!.total_bytes).toBeGreaterThan(0)
    await expectOwnRolesOnly()
  })

  it('OP-09 the doctor and the hourly look at its limits run none of its code as another role', async () => {
    await runDoctor(openEnvironment(), () => undefined, true).catch(() => undefined)
    const options = { db: platform.db, databaseUrl: platform.url, log: createLog('silent'), publicHost: undefined }
    const servers = openServers({ ...options, dataDir: '/nonexistent', embeddedMax: 1 }, () => undefined)
    await platform.db.query(sql`update databases.databases set secured_at = null`)
    const secure = async (row: DatabaseRow) => servers.engineOf(row).secure!(row)
    await runJobs(secureJobs({ db: platform.db, secure }, (error) => expect.unreachable(String(error))))
    await expectOwnRolesOnly()
  })

  it('OP-09 planning a move runs none of its code as another role', async () => {
    await force('force')
    await expect(command(['move', 'notes'], { to: 'second', dryRun: true })).rejects.toThrow(
      'The table public.guarded has FORCE ROW LEVEL SECURITY',
    )
    await force('no force')
    await command(['move', 'notes'], { to: 'second', dryRun: true })
    await expectOwnRolesOnly()
  })

  it('OP-09 dropping another tenant’s database that it granted rights to runs none of its code', async () => {
    await client.call(createDatabase, { name: 'beside' })
    const { owner_role, reader_role } = await rowOf('beside')
    await runIn(
      notesUrl,
      `grant all on public.laden, public.guarded to ${owner_role};
       create policy beside on public.guarded to ${reader_role} using (public.probe('policy') operator(pg_catalog.=) 1)`,
    )
    await runIn(
      notesUrl,
      `begin; select nextval('public.counter'); insert into public.guarded values (9); prepare transaction 'open'`,
    )
    await client.call(dropDatabase, { name: 'beside', confirm: 'beside' })
    const gone = `select from pg_roles where rolname in ('${owner_role}', '${reader_role}')`
    expect(await runIn(platform.server.url, gone)).toEqual([])
    await expectOwnRolesOnly()
  })

  it('OP-09 a sequence that becomes a table while it is dumped runs its code as a tenant', async () => {
    // Acts as a session of the tenant that got around the gate.
    await using intruder = await connectTo(withDatabase(platform.server.url, notes.physical_name))
    await intruder.query(`set session authorization ${notes.owner_role}; set search_path = public`)
    using programs = await holdDataDump()
    const moving = command(['move', 'notes'], { to: 'second' }, programs.path)
    moving.catch(() => undefined)
    await programs.isWaiting()
    await intruder.query('begin; lock table public.articles')
    programs.letGo()
    const waits = `select from pg_locks where not granted and relation = 'public.articles'::regclass`
    await until(async () => (await intruder.query(waits)).rows.length === 1)
    await intruder.query(`${SWAP_SEQUENCE_SQL} commit`)
    await moving.catch(() => undefined)
    await expectOwnRolesOnly()
    const dumper = notes.owner_role.replace('o_', 'm_')
    expect(runsOn(platform.server)).toContainEqual({ object: 'sequence', role: dumper, session: dumper })
    await intruder.query('drop table public.counter; alter sequence public.counted rename to counter')
  })

  it('OP-09 backing it up, restoring and verifying it runs none of its code as another role', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-hostile-backup-'))
    stack.defer(() => rmSync(folder, { recursive: true, force: true }))
    const env = {
      ...openEnvironment(),
      PATH: process.env.PATH,
      SVC_BACKUP_PASSPHRASE: 'a passphrase of several words',
      SVC_BACKUP_VERIFY_URL: secondUrl,
    }
    const options = { keyFile: undefined, publicKeys: [], maxHours: 1 }
    const file = join(folder, 'backup.age')
    await runBackup(env, () => undefined, file, options)
    await expectOwnRolesOnly()
    await runVerify(env, () => undefined, file, options)
    await expectOwnRolesOnly()
    expect(await runIn(second.url, `select datname from pg_database where datname like 'd\\_%'`)).toEqual([])
  })

  it('OP-09 moving it runs none of its code as another role', async () => {
    await command(['move', 'notes'], { to: 'second' })
    await expectOwnRolesOnly()
    expect(runsOn(second).length).toBeGreaterThan(0)
    await command(['drop-old', notes.id], { confirm: true })
    await expectOwnRolesOnly()
  })

  it('OP-09 dropping it runs none of its code as another role', async () => {
    const { id } = await client.call(getSource, { id: 'db_notes' })
    await client.call(exposeSource, { id, exposed: false })
    await client.call(dropDatabase, { name: 'notes', confirm: 'notes' })
    await expectOwnRolesOnly()
  })

  it('OP-09 a connection whose settings a pooler dropped is refused', async () => {
    await client.call(createDatabase, { name: 'pooled' })
    const { physical_name } = await rowOf('pooled')
    const pooler = await startPgbouncer(withDatabase(platform.server.url, physical_name), ['options'])
    try {
      const entered = createEntrance(pooler.url).enter(physical_name, 5_000, (send) => send('select 1'))
      await expect(entered).rejects.toThrow(
        /^The connection to a managed database has search_path = .* A pooler dropped the setting/,
      )
    } finally {
      await pooler[Symbol.asyncDispose]()
    }
    await client.call(dropDatabase, { name: 'pooled', confirm: 'pooled' })
  })

  it('OP-09 settings of its roles and of the address do not change the search path of the platform', async () => {
    await client.call(createDatabase, { name: 'set' })
    const { physical_name } = await rowOf('set')
    const address = `${platform.url}?options=${encodeURIComponent('-c search_path=public -c work_mem=5MB')}`
    await platform.server.psql(`alter role svc in database ${physical_name} set search_path = public`)
    const read = `select current_setting('search_path') as path, current_setting('work_mem') as memory`
    const found = await createEntrance(address).enter(physical_name, 5_000, async (send) => {
      await send('reset all')
      await send('discard all')
      return send(read)
    })
    expect(found).toEqual([{ path: 'pg_catalog, pg_temp', memory: '5MB' }])
    await client.call(dropDatabase, { name: 'set', confirm: 'set' })
  })
})

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '#contract/core/client.ts'
import { configureSource } from '#contract/data-sources/search-config.ts'
import { querySource } from '#contract/data-sources/sources.ts'
import { createDatabase, databaseSizes, dropDatabase, listDatabases, readConnection } from '#contract/databases.ts'
import { sql } from '#lib/db/sql.ts'
import { createLog } from '#lib/log/log.ts'
import { codeOf } from '#test/databases/managed-databases.ts'
import { askAllTheTime, writeAllTheTime } from '#test/databases/move-load.ts'
import { type OwnPostgres, startOwnPostgres } from '#test/databases/own-postgres.ts'
import { type FakeEmbeddings, startFakeEmbeddings } from '#test/outside/fake-embeddings.ts'
import { COMMAND_FILE } from '#test/programs/command-file.ts'
import { runIn } from '#test/sources/configured-source.ts'
import { fakeConfiguration, makeAskable } from '#test/sources/sources.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem, testEnvironment } from '#test/system.ts'
import { until, untilDone } from '#test/until.ts'
import { runJobs } from '#test/work/run-jobs.ts'
import { type DatabasesOptions, runDatabases } from '../../commands/databases.ts'
import { runDoctor } from '../../commands/doctor/command.ts'
import { moveJobs } from './move/rescue.ts'
import { openServers } from './servers/open-servers.ts'

/** The errors of a client while it is kept out: too many connections, or the end of its session. */
const RETRYABLE = new Set(['53300', '57P01', 'connection lost', 'no error'])

needs('postgres')('DS-01 managed databases on two Postgres servers', () => {
  const stack = new AsyncDisposableStack()
  let second: OwnPostgres
  let fake: FakeEmbeddings
  let system: System
  let token: string
  let client: Client

  beforeAll(async () => {
    fake = stack.use(await startFakeEmbeddings())
    second = stack.use(await startOwnPostgres({ fsync: 'off' }))
    system = stack.use(await startSystem({ env: settings(second) }))
    token = (await system.member('owner')).token
    client = system.client(token)
  })
  afterAll(async () => {
    for (const name of ['one', 'two']) await client.call(dropDatabase, { name, confirm: name }).catch(() => undefined)
    await stack.disposeAsync()
  })

  const settings = ({ url }: OwnPostgres) => ({
    SVC_AI_PROVIDERS: JSON.stringify([fake.provider('fake')]),
    SVC_QUESTIONS_PER_MINUTE: '100000',
    // The sizes of other test databases on the shared server must not decide where a database is placed.
    SVC_DATABASE_SERVERS: JSON.stringify([
      { name: 'platform', max_databases: 10, max_gb: 1_000_000 },
      { name: 'second', url, max_databases: 10, max_gb: 1_000_000 },
    ]),
  })
  const serverOf = async (name: string) => {
    const [row] = await system.db.query<{ server: string }>(sql`
      select server from databases.databases where name = ${name}`)
    return row?.server
  }
  /** Returns the ids of the rows that answer the question best. */
  const ask = async (id: string) => {
    const { results } = await client.call(querySource, { id, query: 'sick', top_k: 1 })
    return results.map((result) => result.id)
  }
  const readiness = async () => (await fetch(`${system.url}/readyz`)).json()

  it('new databases land on both servers and answer there', async () => {
    // The first goes to the server with less data, which is the new one, and the next to that with fewer databases.
    await makeAskable(client, 'two')
    await makeAskable(client, 'one')
    expect([await serverOf('one'), await serverOf('two')]).toEqual(['platform', 'second'])
    const { connection_string } = await client.call(readConnection, { name: 'two' })
    expect(new URL(connection_string).port).toBe(new URL(second.url).port)
    for (const id of ['db_one', 'db_two']) expect(await ask(id)).toEqual(['1'])
    const { items } = await client.call(databaseSizes, { names: 'one,two' })
    expect(items).toEqual([
      { name: 'one', bytes: expect.any(Number) },
      { name: 'two', bytes: expect.any(Number) },
    ])
    expect(await readiness()).toMatchObject({ dependencies: { 'database server second': { status: 'ok' } } })
  })

  it('a database on a server that this process does not know is answered with 503', async () => {
    await system.db.query(sql`update databases.databases set server = 'gone' where name = 'two'`)
    expect(await codeOf(client.call(readConnection, { name: 'two' }))).toBe('UNAVAILABLE')
    await system.db.query(sql`update databases.databases set server = 'second' where name = 'two'`)
  })

  describe('while one server is stopped', () => {
    beforeAll(() => second.stop())
    afterAll(() => second.start())

    it('only its own data sources are down, with a time to try again', async () => {
      const response = await fetch(`${system.url}/api/wf/slim/data-sources/db_two/query`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query: 'sick' }),
      })
      expect(response.status).toBe(503)
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await ask('db_one')).toEqual(['1'])
    })

    it('lists are complete, and sizes leave out only what is not known', async () => {
      const { items } = await client.call(listDatabases, {})
      expect(items.map(({ name }) => name).toSorted()).toEqual(['one', 'two'])
      const sizes = await client.call(databaseSizes, { names: 'one,two' })
      expect(sizes.items).toEqual([
        { name: 'one', bytes: expect.any(Number) },
        { name: 'two', bytes: null },
      ])
    })

    it('new databases are placed on the other one, and its databases can be dropped', async () => {
      for (const name of ['three', 'four']) {
        await client.call(createDatabase, { name })
        expect(await serverOf(name)).toBe('platform')
        await client.call(dropDatabase, { name, confirm: name })
      }
    })

    it('the readiness names it and the process stays ready', async () => {
      expect(await readiness()).toMatchObject({
        status: 'ready',
        dependencies: { 'database server second': { status: 'degraded' } },
      })
    })

    it('OP-03 the doctor names it as a problem', async () => {
      const lines: string[] = []
      const env = {
        ...testEnvironment(system.databaseUrl, system.config.dataDir),
        ...settings(second),
        SVC_AI_PROVIDERS: '',
      }
      await runDoctor(env, (line) => lines.push(line), true).catch(() => undefined)
      const { checks } = JSON.parse(lines.join('\n')) as { checks: { name: string; status: string }[] }
      const check = checks.find(({ name }) => name === 'managed databases')
      expect(check?.status).toBe('problem')
      expect(JSON.stringify(check)).toContain('The Postgres server second does not answer')
    })
  })

  it('a server that is started again answers again', async () => {
    expect(await ask('db_two')).toEqual(['1'])
  })

  describe('a move to the other server', () => {
    const env = () => ({
      ...testEnvironment(system.databaseUrl, system.config.dataDir),
      ...settings(second),
      PATH: process.env.PATH,
    })
    const run = async (args: string[], options: Partial<DatabasesOptions> = {}) => {
      const lines: string[] = []
      const given = { to: undefined, dryRun: false, confirm: false, ...options }
      await runDatabases(env(), (line) => lines.push(line), args, given)
      return lines
    }

    it('is planned without changing anything', async () => {
      const lines = await run(['move', 'one'], { to: 'second', dryRun: true })
      expect(lines.at(-1)).toBe('Nothing was changed.')
      expect(await serverOf('one')).toBe('platform')
    })

    it.each([
      ['one', 'platform', 'The database is on platform already.'],
      ['one', 'third', 'SVC_DATABASE_SERVERS names no server third.'],
      ['none', 'second', 'No such database: none.'],
    ])('of %s to %s is refused', async (name, to, message) => {
      await expect(run(['move', name], { to })).rejects.toThrow(message)
    })

    it('fails no question and loses no acknowledged write', async () => {
      await prepareOne()
      const asking = askAllTheTime(() => ask('db_one'))
      const writing = writeAllTheTime(
        async () => (await client.call(readConnection, { name: 'one' })).connection_string,
      )
      await until(() => asking.answers() > 0 && writing.acknowledged().length > 0)
      await run(['move', 'one'], { to: 'second' })
      expect(await serverOf('one')).toBe('second')
      const before = { answers: asking.answers(), writes: writing.acknowledged().length }
      await until(() => asking.answers() > before.answers && writing.acknowledged().length > before.writes)
      expect((await asking.stop()).filter((answer) => answer !== '1')).toEqual([])
      const acknowledged = await writing.stop()
      const { connection_string } = await client.call(readConnection, { name: 'one' })
      expect(new URL(connection_string).port).toBe(new URL(second.url).port)
      const rows = await runIn(connection_string, 'select id from journal order by id')
      const stored = new Set(rows.map(({ id }) => id))
      expect(acknowledged.filter((id) => !stored.has(id))).toEqual([])
      expect(writing.errors()).toContain('53300')
      expect(writing.errors().filter((code) => !RETRYABLE.has(code))).toEqual([])
      expect(await runIn(connection_string, OBJECTS)).toEqual([
        { comment: 'All articles', setting: '{lock_timeout=7s}', granted: true, last: 3, policies: 1 },
      ])
    })

    it('is told to its creator by mail, which without a mail server the ledger shows as not sent', async () => {
      const mails = () =>
        system.db.query(sql`
          select state, reason from notifications.deliveries
          where message_key like 'database-move:%' and state <> 'pending' and state <> 'sending'`)
      await until(async () => (await mails()).length > 0)
      expect(await mails()).toEqual([{ state: 'failed', reason: 'mail_not_configured' }])
    })

    it('keeps the old copy closed to its owner until it is dropped', async () => {
      expect(await run([])).toContainEqual(expect.stringMatching(/^one .* its old copy is still on platform$/))
      await run(['drop-old', 'one'])
      expect(await copiesOnPlatform()).toHaveLength(1)
      const { connection_string } = await client.call(readConnection, { name: 'one' })
      const old = new URL(connection_string)
      old.host = new URL(system.databaseUrl!).host
      expect(await codeOf(runIn(old.href, 'select 1'))).toBe('42501')
      await run(['drop-old', 'one'], { confirm: true })
      expect(await copiesOnPlatform()).toEqual([])
      expect(await ask('db_one')).toEqual(['1'])
    })

    it('DS-01 whose command is killed before the switch is undone by the worker', async () => {
      const { connection_string } = await client.call(readConnection, { name: 'one' })
      const [row] = await system.db.query<{ id: string }>(sql`select id from databases.databases where name = 'one'`)
      // While the command is only stopped, it holds its lease, so that the worker leaves the move as it is.
      const command = await interruptAt('Copying the rows.', 'SIGSTOP')
      await system.db.query(sql`
        update svc.leases set expires_at = clock_timestamp() + interval '1 hour' where name = ${`database:${row!.id}`}`)
      expect(await codeOf(runIn(connection_string, 'select 1'))).toBe('53300')
      expect(await codeOf(client.call(configureSource, fakeConfiguration('db_one', 'articles')))).toBe('UNAVAILABLE')
      expect(await ask('db_one')).toEqual(['1'])
      await kill(command)
      await runJobs(rescue())
      await untilDone(() => runIn(connection_string, 'insert into journal values (0)'))
      await until(async () => (await system.db.query(sql`select from databases.moves`)).length === 0)
      expect(await copiesOnPlatform()).toEqual([])
    })

    it('DS-01 whose command is killed after the switch is finished by the worker', async () => {
      await kill(await interruptAt('Switched to platform.', 'SIGKILL'))
      await runJobs(rescue())
      const { connection_string } = await client.call(readConnection, { name: 'one' })
      expect(new URL(connection_string).port).toBe(new URL(system.databaseUrl!).port)
      const count = await untilDone(() =>
        runIn(connection_string, 'select count(*)::int as count from journal where id = 0'),
      )
      expect(count).toEqual([{ count: 1 }])
      await until(async () => (await run([])).some((line) => line.endsWith('its old copy is still on second')))
      await run(['drop-old', 'one'], { confirm: true })
    })

    it('that fails is undone, and the owner can write again', async () => {
      const { connection_string } = await client.call(readConnection, { name: 'one' })
      // Rows that the constraint no longer accepts stop the copy after the owner was kept out.
      await runIn(
        connection_string,
        `create function accepts(n int) returns boolean language sql as 'select n > 0';
         create table odd (n int check (accepts(n))); insert into odd values (1);
         create or replace function accepts(n int) returns boolean language sql as 'select n > 1'`,
      )
      await expect(run(['move', 'one'], { to: 'second' })).rejects.toThrow('pg_restore failed')
      expect(await serverOf('one')).toBe('platform')
      await runIn(connection_string, 'drop table odd; drop function accepts')
      expect(await system.db.query(sql`select from databases.moves`)).toEqual([])
    })

    /** Begins to move the database to the platform's own server, and sends the signal when the command prints the line. */
    async function interruptAt(line: string, signal: NodeJS.Signals): Promise<ChildProcess> {
      const child = spawn(process.execPath, [COMMAND_FILE, 'databases', 'move', 'one', '--to', 'platform'], {
        env: env(),
      })
      stack.defer(() => void child.kill('SIGKILL'))
      let output = ''
      await new Promise<void>((resolve, reject) => {
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          output += text
          if (!output.includes(line)) return
          child.kill(signal)
          resolve()
        })
        child.once('exit', () => reject(new Error(`the command ended before it printed "${line}": ${output}`)))
      })
      return child
    }

    async function kill(child: ChildProcess): Promise<void> {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    }

    /** The job of the worker, without the wait for other processes, of which there are none here. */
    function rescue() {
      const { db, databaseUrl, config } = system
      const log = createLog('silent')
      const given = { publicHost: undefined, dataDir: '', embeddedMax: 0, servers: config.databases.servers }
      const servers = openServers({ db, log, databaseUrl, ...given }, () => undefined)
      for (const { engine } of servers.all) stack.defer(() => engine.close())
      const onError = (error: unknown) => {
        throw error
      }
      return moveJobs({ db, servers, settleMs: 0 }, onError)
    }

    async function copiesOnPlatform(): Promise<unknown[]> {
      return system.db.query(sql`
        select datname from pg_database
        where datname in (select physical_name from databases.databases where name = 'one')`)
    }

    /** Gives the database what a copy can lose: a comment, a setting of its owner, a sequence, a right and a policy. */
    async function prepareOne(): Promise<void> {
      const { connection_string } = await client.call(readConnection, { name: 'one' })
      const [owner] = await runIn(connection_string, 'select current_user::text as name')
      const reader = String(owner!.name).replace(/^o_/, 'r_')
      await runIn(
        connection_string,
        `comment on table articles is 'All articles';
         alter role current_user set lock_timeout = '7s';
         create sequence numbers; select setval('numbers', 3);
         create table journal (id int primary key, note text);
         create table guarded (id int); alter table guarded enable row level security;
         create policy own on guarded for select to ${reader} using (id = 1);
         grant select (id) on journal to ${reader}`,
      )
    }

    const OBJECTS = `
      select obj_description('articles'::regclass) as comment,
             (select rolconfig::text from pg_roles where rolname = current_user) as setting,
             has_column_privilege(replace(current_user, 'o_', 'r_'), 'journal', 'id', 'select') as granted,
             (select last_value::int from numbers) as last,
             (select count(*)::int from pg_policies where tablename = 'guarded') as policies`
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '#lib/db/sql.ts'
import { createLog } from '#lib/log/log.ts'
import { systemClock } from '#lib/time/clock.ts'
import { withLease } from '#lib/work/lease.ts'
import { startTestArea, type TestArea } from '#test/databases/databases-area.ts'
import { prepareAsGuide } from '#test/databases/guide-role.ts'
import { codeOf, connectTo } from '#test/databases/managed-databases.ts'
import { type OwnPlatform, startOwnPlatform } from '#test/databases/own-platform.ts'
import { type OwnPostgres, startOwnPostgres } from '#test/databases/own-postgres.ts'
import { runIn } from '#test/sources/configured-source.ts'
import { needs } from '#test/stores.ts'
import { withDatabase } from '#test/suite/global-setup.ts'
import { testEnvironment } from '#test/system.ts'
import { until } from '#test/until.ts'
import { runDatabases } from '../../../commands/databases.ts'
import { createEmbeddedEngine } from '../engine/embedded/engine.ts'
import { createEntrance } from '../engine/postgres/entrance.ts'
import type { DatabaseRow } from '../model/store.ts'
import { createServers, type ServerSettings } from '../servers/servers.ts'
import { refuseOlderVersion } from './check.ts'
import { compareRows } from './compare.ts'
import { createMover } from './mover.ts'
import { sidesOf } from './sides.ts'

/** Longer than any test: none of these statements may be ended for its time. */
const STATEMENT_MS = 600_000

it('DS-01 databases of the embedded engine cannot be moved', () => {
  const engine = createEmbeddedEngine({
    dataDir: '/nonexistent',
    limit: 1,
    find: async () => undefined,
    onError: () => undefined,
  })
  const servers = createServers([{ settings: { name: 'platform', state: 'open' }, engine }])
  expect(() => sidesOf(servers, { from_server: 'platform', to_server: 'second' })).toThrow(
    'Databases of the embedded engine cannot be moved. Use Postgres (DATABASE_URL).',
  )
})

describe('DS-01 a move to an older version of Postgres', () => {
  it('is refused, and to the same or a newer one is not', () => {
    expect(() => refuseOlderVersion(16, 15)).toThrow(
      'Postgres 15 of the other server is older than Postgres 16 of this one.',
    )
    refuseOlderVersion(15, 15)
    refuseOlderVersion(15, 16)
  })
})

/** Both servers are prepared as the guide says: the role of the platform is no superuser on either. */
needs('postgres')('DS-01 a move by the role that the guide makes', () => {
  const stack = new AsyncDisposableStack()
  let platform: OwnPlatform
  let second: OwnPostgres
  let secondUrl: string
  let area: TestArea
  let notes: DatabaseRow

  beforeAll(async () => {
    const settings = { max_prepared_transactions: 2 }
    const [first, other] = await Promise.all([
      startOwnPlatform({ prepare: prepareAsGuide, settings }),
      startOwnPostgres({ fsync: 'off' }),
    ])
    platform = stack.use(first)
    second = stack.use(other)
    secondUrl = await prepareAsGuide(second)
    area = stack.use(startTestArea(platform.db, platform.url, undefined, servers()))
    notes = await area.make('notes')
    await inNotes(`
      create table public.notes (id int primary key, embedding vector(3));
      insert into public.notes select n, '[1,2,3]' from generate_series(1, 20) n;
      create table public.guarded (id int);
      insert into public.guarded values (1), (2);
      alter table public.guarded enable row level security;
      create policy own on public.guarded for select to ${notes.reader_role} using (id = 1);
      grant select on public.guarded to ${notes.reader_role}`)
  })
  afterAll(() => stack.disposeAsync())

  const servers = (changed: Partial<ServerSettings> = {}): ServerSettings[] => [
    { name: 'platform', state: 'open' },
    { name: 'second', url: secondUrl, state: 'open', ...changed },
  ]
  type Options = Partial<Parameters<typeof createMover>[0]>
  const withMover = async <T>(run: (mover: ReturnType<typeof createMover>) => Promise<T>, options: Options = {}) => {
    await using mover = createMover({
      db: platform.db,
      clock: systemClock,
      log: createLog('silent'),
      databaseUrl: platform.url,
      servers: servers(),
      publicHost: undefined,
      path: process.env.PATH,
      print: () => undefined,
      waits: { settleMs: 0, closeMs: 500 },
      ...options,
    })
    return await run(mover)
  }
  const move = (to: string, options?: Options) =>
    withMover(async (mover) => mover.move(await mover.find(notes.id), to), options)
  const dropOld = (options?: Options) => withMover(async (mover) => mover.dropOld(await mover.find(notes.id)), options)
  const onPlatform = () => area.ownerUrl(notes)
  const onSecond = () => {
    const url = new URL(onPlatform())
    url.host = new URL(second.url).host
    return url.href
  }
  const inNotes = (text: string) => runIn(onPlatform(), text)
  const asSuperuser = ({ url }: OwnPostgres, text: string) => runIn(withDatabase(url, notes.physical_name), text)
  const setServer = (server: string) =>
    platform.db.query(sql`update databases.databases set server = ${server} where id = ${notes.id}`)

  /** Nothing of a refused move may remain: no copy, no row of a move, and the owner can write. */
  const expectUnchanged = async () => {
    expect(await platform.db.query(sql`select from databases.moves`)).toEqual([])
    expect(await platform.db.query(sql`select from databases.move_notices`)).toEqual([])
    expect(await runIn(second.url, `select datname from pg_database where datname like 'd\\_%'`)).toEqual([])
    await inNotes('insert into public.notes values (0); delete from public.notes where id = 0')
  }
  const refused = async (text: string | RegExp, options?: Options) => {
    await expect(move('second', options)).rejects.toThrow(text)
    await expectUnchanged()
  }

  describe('is refused, and nothing is changed,', () => {
    it.each(['full', 'draining'] as const)('to a server that is %s', (state) =>
      refused(`The server second is marked as ${state}.`, { servers: servers({ state }) }),
    )

    it('of a database that is not ready', async () => {
      await platform.db.query(sql`update databases.databases set state = 'failed' where id = ${notes.id}`)
      await refused('The database is not ready. Its state is failed.')
      await platform.db.query(sql`update databases.databases set state = 'ready' where id = ${notes.id}`)
    })

    it('of a database that was dropped meanwhile', async () => {
      const gone = { ...notes, id: 'mdb_gone' }
      await expect(withMover((mover) => mover.move(gone, 'second'))).rejects.toThrow('The database was dropped.')
    })

    it('from a server that the settings lack', async () => {
      await setServer('third')
      await expect(move('second')).rejects.toThrow('which this process does not know')
      await setServer('platform')
      await expectUnchanged()
    })

    it('to the same server under another name', () =>
      refused('Both names in SVC_DATABASE_SERVERS lead to the same Postgres server.', {
        servers: servers({ url: platform.url }),
      }))

    it('to a server that has a database of that name', async () => {
      await second.psql(`create database ${notes.physical_name}`)
      await expect(move('second')).rejects.toThrow(`The server already has a database ${notes.physical_name}.`)
      await second.psql(`drop database ${notes.physical_name}`)
      await expectUnchanged()
    })

    it('to a server that lacks an extension', async () => {
      const rename = (from: string, to: string) =>
        asSuperuser(platform.server, `update pg_extension set extname = '${to}' where extname = '${from}'`)
      await rename('vector', 'vectors')
      await refused('The other server lacks the extensions vectors. Install them there.')
      await rename('vectors', 'vector')
    })

    it('of a table with FORCE ROW LEVEL SECURITY', async () => {
      await inNotes('alter table public.guarded force row level security')
      await refused('The table public.guarded has FORCE ROW LEVEL SECURITY')
      await inNotes('alter table public.guarded no force row level security')
    })

    it('whose owner role is missing', async () => {
      const rename = (from: string, to: string) => platform.server.psql(`alter role ${from} rename to ${to}`)
      await rename(notes.owner_role, 'lost')
      await expect(move('second')).rejects.toThrow(`The role ${notes.owner_role} is missing on its Postgres server.`)
      await rename('lost', notes.owner_role)
    })

    it('with prepared transactions', async () => {
      await inNotes(`begin; insert into public.notes values (21); prepare transaction 'open'`)
      await refused('The database has prepared transactions, which cannot be copied.')
      await inNotes(`rollback prepared 'open'`)
    })

    it('while a session of the owner does not end', async () => {
      await using session = await connectTo(onPlatform())
      const { rows } = await session.query<{ pid: number }>('select pg_backend_pid() as pid')
      process.kill(rows[0]!.pid, 'SIGSTOP')
      try {
        await refused('Sessions of the owner did not end in 1 second. Nothing was moved; try again.')
      } finally {
        process.kill(rows[0]!.pid, 'SIGCONT')
      }
    })

    it('with a right that cannot be copied', async () => {
      const change = (verb: string) => `alter default privileges for role postgres ${verb} ${notes.owner_role}`
      await asSuperuser(platform.server, change('grant select on tables to'))
      await refused(/^A right could not be copied: /)
      await asSuperuser(platform.server, change('revoke select on tables from'))
    })

    it('whose index is never built, when the time for the copy is over', async () => {
      const { port } = new URL(secondUrl)
      await inNotes(`
        create table public.endless (id int);
        insert into public.endless values (1);
        create function public.wait_elsewhere(id int) returns int immutable language plpgsql as $$
          begin
            while current_setting('port') = '${port}' loop
              begin perform pg_sleep(600); exception when others or query_canceled then null; end;
            end loop;
            return id;
          end $$;
        create index on public.endless (public.wait_elsewhere(id))`)
      try {
        const time = new AbortController()
        const moving = refused(
          'pg_restore was not done in time, so the move was ended. Nothing was changed. An index or a constraint of the database may never end; if it only takes long, allow more with --max-hours.',
          { startDeadline: () => time.signal },
        )
        const builds = `select from pg_stat_activity where query ilike '%create index%' and pid <> pg_backend_pid()`
        const building = until(async () => (await runIn(second.url, builds)).length > 0)
        await Promise.race([moving, building])
        time.abort()
        await moving
      } finally {
        await inNotes('drop table public.endless; drop function public.wait_elsewhere')
      }
    })

    it('without the client programs of Postgres', () =>
      refused('pg_dump and pg_restore are not on the PATH.', { path: '/nonexistent' }))

    it('to a server that does not answer', async () => {
      await second.stop()
      try {
        await expect(move('second')).rejects.toThrow('The Postgres server second does not answer.')
      } finally {
        await second.start()
      }
      await expectUnchanged()
    })

    it('while another process creates, drops or moves the database', () =>
      withLease(platform.db, {
        name: `database:${notes.id}`,
        refuse: () => new Error('the lease is taken'),
        run: () => refused('The database notes is being created, dropped or moved.'),
      }))

    it('on a platform database that lacks migrations', async () => {
      const env = { ...testEnvironment(secondUrl, '/nonexistent'), PATH: process.env.PATH }
      const options = { to: 'second', dryRun: false, confirm: false }
      await expect(runDatabases(env, () => undefined, ['move', 'notes'], options)).rejects.toThrow(
        'The database lacks migrations of this version. Run svc-server migrate first.',
      )
    })

    it('by a name that two organizations use', async () => {
      const other = await area.leave('other')
      await platform.db.query(sql`
        update databases.databases set org_id = 'org_2', name = 'notes' where id = ${other.id}`)
      const found = withMover((mover) => mover.find('notes'))
      await expect(found).rejects.toThrow(/^Several organizations have a database named notes\. Use one of these ids: /)
      await platform.db.query(sql`delete from databases.databases where id = ${other.id}`)
    })
  })

  it('DS-01 a copy with another number of rows is refused', async () => {
    const other = await area.make('other')
    await runIn(area.ownerUrl(other), 'create table public.notes (id int); create table public.guarded (id int)')
    const entrance = createEntrance(platform.server.url)
    const compare = () =>
      compareRows(
        (work) => entrance.enter(notes.physical_name, STATEMENT_MS, work),
        (work) => entrance.enter(other.physical_name, STATEMENT_MS, work),
      )
    await expect(compare()).rejects.toThrow('The copy of public.guarded has 0 rows instead of 2.')
    await runIn(area.ownerUrl(other), 'drop table public.guarded')
    await expect(compare()).rejects.toThrow('The copy of public.guarded has no rows instead of 2.')
  })

  it('copies every row, also those that a policy hides from the reader, and the old copy is closed', async () => {
    await inNotes(`
      alter role current_user set default_transaction_read_only = on;
      alter role current_user in database ${notes.physical_name} set search_path = "$user", public;
      alter role current_user in database ${notes.physical_name} set application_name = 'it''s $body$ %L'`)
    const settings = `
      select setdatabase = 0 as everywhere, setconfig as settings from pg_db_role_setting
      where setrole = '${notes.owner_role}'::regrole order by 1`
    await using holder = await connectTo(onPlatform())
    await holder.query(`begin read write; alter role current_user password 'x'`)
    await move('second')
    expect(
      await runIn(onSecond(), 'select count(*)::int as n, (select count(*)::int from guarded) as g from notes'),
    ).toEqual([{ n: 20, g: 2 }])
    const read = async () => (await area.open('notes', 'reader')).query(sql`select id from public.guarded`)
    expect(await read()).toEqual([{ id: 1 }])
    expect(await codeOf(inNotes('select 1'))).toBe('42501')
    expect(await runIn(second.url, settings)).toEqual([
      { everywhere: false, settings: ['search_path="$user", public', `application_name=it's $body$ %L`] },
      { everywhere: true, settings: ['default_transaction_read_only=on'] },
    ])
  })

  it.each([
    ['second', 'The database was moved there already, and its old copy is still kept.'],
    ['platform', 'An old copy of the database is still on platform. Run svc-server databases drop-old first.'],
  ])('to %s again is refused while the old copy is kept', async (to, message) => {
    await expect(move(to)).rejects.toThrow(message)
  })

  it('the old copy is not dropped where both names lead to one server', async () => {
    const same = { servers: servers({ url: platform.url }) }
    await expect(dropOld(same)).rejects.toThrow('Both names in SVC_DATABASE_SERVERS lead to the same Postgres server.')
    expect(await runIn(onSecond(), 'select count(*)::int as n from notes')).toEqual([{ n: 20 }])
  })

  it('the old copy is dropped by that role, and only once', async () => {
    await dropOld()
    expect(
      await runIn(platform.server.url, `select from pg_database where datname = '${notes.physical_name}'`),
    ).toEqual([])
    await expect(dropOld()).rejects.toThrow('The database has no old copy.')
    await expect(withMover((mover) => mover.oldServerOf(notes))).rejects.toThrow('The database has no old copy.')
  })

  it('a move that another command works at is not begun to a third server', async () => {
    await platform.db.query(sql`
      insert into databases.moves (database_id, from_server, to_server, phase, owner_connections, started_at)
      values (${notes.id}, 'second', 'third', 'copying', 10, now())`)
    await expect(move('platform')).rejects.toThrow('The database is being moved from second to third already.')
    await platform.db.query(sql`delete from databases.moves`)
  })
})

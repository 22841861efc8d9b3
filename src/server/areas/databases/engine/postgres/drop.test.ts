import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { sql } from '#lib/db/sql.ts'
import { createLog } from '#lib/log/log.ts'
import { systemClock } from '#lib/time/clock.ts'
import { startTestArea, type TestArea } from '#test/databases/databases-area.ts'
import { codeOf, connectTo } from '#test/databases/managed-databases.ts'
import { type OwnPlatform, startOwnPlatform } from '#test/databases/own-platform.ts'
import type { OwnPostgres } from '#test/databases/own-postgres.ts'
import { needs } from '#test/stores.ts'
import { onServer, withDatabase } from '#test/suite/global-setup.ts'
import { until } from '#test/until.ts'
import { runJobs } from '#test/work/run-jobs.ts'
import type { DatabaseRow } from '../../model/store.ts'
import { leftRoleJobs } from '../../servers/left-roles.ts'
import { openServers } from '../../servers/open-servers.ts'
import { createEndBackend } from './end-backend.ts'
import { createEntrance } from './entrance.ts'
import { limitOwner } from './owner-limit.ts'

/** A transaction of the operator's that keeps anybody from dropping the database. */
const HOLD = `begin; create table public.held (id int); prepare transaction 'hold'`
const PLATFORMS = {
  'a superuser': `create role svc login superuser password 'x'`,
  'the role of the guide': `
    create role svc login createdb createrole password 'x';
    grant set on parameter log_min_messages, log_parameter_max_length to svc`,
}

/** Both may be refused other things: a superuser may do all, the role of the guide owns only what it made. */
for (const [who, role] of Object.entries(PLATFORMS))
  needs('postgres')(`as ${who}`, () => {
    let platform: OwnPlatform
    let area: TestArea
    let row: DatabaseRow
    let databaseCount = 0
    beforeAll(async () => {
      const prepare = async (server: OwnPostgres) => {
        await server.psql(`${role}; create database svc owner svc;
          create database svc_managed_template template template0;
          \\connect svc_managed_template
          create extension vector;
          \\connect postgres
          alter database svc_managed_template with is_template true allow_connections false;`)
        const url = new URL(withDatabase(server.url, 'svc'))
        Object.assign(url, { username: 'svc', password: 'x' })
        return url.href
      }
      platform = await startOwnPlatform({ prepare, settings: { max_prepared_transactions: 5 } })
      area = startTestArea(platform.db, platform.url)
    })
    afterAll(async () => {
      await area?.[Symbol.asyncDispose]()
      await platform?.[Symbol.asyncDispose]()
    })
    beforeEach(async () => {
      area.lines.length = 0
      row = await area.make(`notes_${++databaseCount}`)
    })

    const asOwner = (database: string) => connectTo(withDatabase(area.ownerUrl(row), database))
    /** As in clusters of former versions, where every role may enter it and create objects. */
    const openPostgresDatabase = () =>
      onServer(platform.server.url, 'grant connect, create on database postgres to public')
    const drop = async () => {
      await platform.db.query(sql`update databases.databases set state = 'dropping' where id = ${row.id}`)
      await area.finish()
    }
    const previewRole = () => row.owner_role.replace('o_', 'p_')
    const left = () =>
      platform.db.query(sql`
        select name from databases.databases where id = ${row.id}
        union all select datname from pg_database where datname = ${row.physical_name}
        union all select rolname from pg_roles where rolname = any(${[row.owner_role, row.reader_role, previewRole()]})`)

    /** A superuser gets a connection also to a database that is full, and may end autovacuum. */
    const itOfGuide = (title: string, work: () => Promise<void>) => {
      if (who !== 'a superuser') it(title, work)
    }
    /** Runs the job as another process does, which has not tried yet. */
    const removeLeftRoles = async () => {
      const onError = (error: unknown) => expect.unreachable(String(error))
      const options = { db: platform.db, databaseUrl: platform.url, log: createLog('silent'), publicHost: undefined }
      const servers = openServers({ ...options, dataDir: '/nonexistent', embeddedMax: 1 }, onError)
      await runJobs(leftRoleJobs({ db: platform.db, clock: systemClock, servers }, onError))
    }

    it('OP-09 an owner that keeps its own role locked is logged out and its database is dropped', async () => {
      const lock = `begin; alter role current_user password 'x'`
      await using holder = await asOwner(row.physical_name)
      await holder.query(lock)
      await drop()
      expect(area.lines).toEqual([])
      expect(await left()).toEqual([])
    })

    it('OP-09 CO-07 the role of previews goes with its database, also if the owner gave it something', async () => {
      const { role: asked } = await area.databases.openForPreview('org_1', row.name)
      expect(asked).toBe(previewRole())
      await using owner = await asOwner(row.physical_name)
      await owner.query(
        `grant create on schema public to ${asked}; set role ${asked}; create table public.mine (id int)`,
      )
      await drop()
      expect(area.lines).toEqual([])
      expect(await left()).toEqual([])
    })

    it('OP-09 a tenant that grants another’s role something and waits does not keep it', async () => {
      const beside = await area.make(`beside_${databaseCount}`)
      await using holder = await connectTo(area.ownerUrl(beside))
      await holder.query(`begin; create table public.given (id int); grant select on public.given to ${row.owner_role}`)
      await drop()
      expect(area.lines).toEqual([])
      expect(await left()).toEqual([])
      row = beside
      await drop()
    })

    it('OP-09 a prepared transaction that keeps the role locked does not keep the database', async () => {
      await using holder = await asOwner(row.physical_name)
      await holder.query(`begin; alter role current_user password 'x'; prepare transaction 'locked'`)
      await drop()
      expect(area.lines).toEqual([])
      expect(await left()).toEqual([])
    })

    itOfGuide('OP-09 the platform ends a session of a tenant', async () => {
      await using session = await asOwner(row.physical_name)
      const { rows } = await session.query('select pg_backend_pid() as pid')
      const end = createEndBackend(platform.db, (text) => expect.unreachable(text))
      await end({ role: row.owner_role, pid: rows[0].pid, startedAt: undefined })
      expect(await codeOf(session.query('select 1'))).not.toBe('no error')
      await drop()
    })

    itOfGuide('OP-09 another tenant’s prepared transaction that names the role is rolled back', async () => {
      const beside = await area.make(`beside_${databaseCount}`)
      await using holder = await connectTo(area.ownerUrl(beside))
      const grant = `create table public.given (id int); grant select on public.given to ${row.owner_role}`
      await holder.query(`begin; ${grant}; prepare transaction 'theirs'`)
      await holder.query(`begin; create table public.kept (id int); prepare transaction 'unrelated'`)
      await drop()
      expect(area.lines).toEqual([])
      expect(await left()).toEqual([])
      expect((await holder.query('select gid from pg_prepared_xacts')).rows).toEqual([{ gid: 'unrelated' }])
      row = beside
      await drop()
    })

    itOfGuide(
      'OP-09 a prepared transaction of the operator’s that names the role is left, and the role goes later',
      async () => {
        const { url } = platform.server
        const grant = `create table public.held (id int); grant select on public.held to ${row.owner_role}`
        await onServer(url, `begin; ${grant}; prepare transaction 'operators'`)
        await drop()
        expect(await left()).toEqual([{ name: row.owner_role }])
        expect(area.lines.join('')).toContain('svc tries to remove them every five minutes')
        await onServer(url, `rollback prepared 'operators'`)
        await removeLeftRoles()
        expect(await left()).toEqual([])
      },
    )

    itOfGuide(
      'OP-09 another tenant’s database without a free connection delays only the removal of the role',
      async () => {
        const { url } = platform.server
        const beside = await area.make(`beside_${databaseCount}`)
        await using owner = await connectTo(area.ownerUrl(beside))
        await owner.query(`create table public.given (id int); grant select on public.given to ${row.owner_role}`)
        await onServer(url, `alter database ${beside.physical_name} connection limit 0`)
        await drop()
        expect(await left()).toEqual([{ name: row.owner_role }])
        await removeLeftRoles()
        expect(await left()).toEqual([{ name: row.owner_role }])
        await onServer(url, `alter database ${beside.physical_name} connection limit -1`)
        await removeLeftRoles()
        expect(await left()).toEqual([])
        row = beside
        await drop()
      },
    )

    it('OP-09 an owner that keeps its own role locked gets another limit', async () => {
      await using holder = await asOwner(row.physical_name)
      await holder.query(`begin; alter role current_user password 'x'`)
      const { db } = platform
      const server = { db, entrance: createEntrance(platform.url) }
      expect(await limitOwner(server, row, { from: 20, to: 7 })).toBe(true)
      const limits = await db.query(sql`
        select rolconnlimit as connections from pg_roles where rolname = ${row.owner_role}`)
      expect(limits).toEqual([{ connections: 7 }])
      await drop()
    })

    it('DS-01 a database with objects, locks, open sessions and a prepared transaction is dropped', async () => {
      await using holder = await asOwner(row.physical_name)
      await holder.query(`create table public.notes (id int);
        create function public.ten() returns int language sql security definer as 'select 10';
        alter default privileges grant select on tables to public;
        select lo_create(0); select pg_advisory_lock(1)`)
      await holder.query(`begin; lock table public.notes; prepare transaction 'stuck'`)
      // Waits for the prepared transaction's lock until its session is ended.
      void holder.query('begin; insert into public.notes values (1)').catch(() => undefined)
      await drop()
      expect(await left()).toEqual([])
      expect(area.lines).toEqual([])
      expect(await codeOf(asOwner(row.physical_name))).not.toBe('no error')
    })

    it('DS-01 so is one whose roles have objects, grants, sessions and a prepared transaction in another database', async () => {
      const { url } = platform.server
      await openPostgresDatabase()
      // Only a superuser can revoke a superuser's grant.
      if (who === 'a superuser') await onServer(url, `grant select on pg_catalog.pg_class to ${row.reader_role}`)
      await using holder = await asOwner('postgres')
      await holder.query(`create schema mine; create table mine.things (id int);
        grant usage on schema mine to public; grant all on mine.things to public`)
      await holder.query(`begin; insert into mine.things values (1); prepare transaction 'elsewhere'`)
      void holder.query('begin; lock table mine.things').catch(() => undefined)
      await drop()
      expect(await left()).toEqual([])
      expect(area.lines).toEqual([])
      await using admin = await connectTo(url)
      expect((await admin.query(`select from pg_namespace where nspname = 'mine'`)).rows).toEqual([])
      expect((await admin.query('select from pg_prepared_xacts')).rows).toEqual([])
    })

    it('DS-01 another tenant’s lock in that other database does not hold it up', async () => {
      const other = await area.make(`others_${databaseCount}`)
      await openPostgresDatabase()
      await using holder = await asOwner('postgres')
      await holder.query(`create schema mine; create table mine.things (id int);
        grant usage on schema mine to public; grant all on mine.things to public`)
      await using blocker = await connectTo(withDatabase(area.ownerUrl(other), 'postgres'))
      await blocker.query('begin; insert into mine.things values (1)')
      await drop()
      expect(await left()).toEqual([])
      expect(area.lines).toEqual([])
      await using connection = await connectTo(area.ownerUrl(other))
      expect((await connection.query('select 1 as one')).rows).toEqual([{ one: 1 }])
      await platform.db.query(sql`update databases.databases set state = 'dropping' where id = ${other.id}`)
      await area.finish()
    })

    it('DS-01 objects in a database that takes no connections leave a role without login, and a warning', async () => {
      const { url } = platform.server
      await onServer(url, 'create database closed')
      await onServer(withDatabase(url, 'closed'), `create table public.theirs (id int)`)
      await onServer(withDatabase(url, 'closed'), `alter table public.theirs owner to ${row.owner_role}`)
      await onServer(url, 'alter database closed allow_connections false')
      await drop()
      expect(await left()).toEqual([{ name: row.owner_role }])
      expect(area.lines.join('\n')).toContain(`drop role`)
      const [owner] = await platform.db.query(sql`select rolcanlogin from pg_roles where rolname = ${row.owner_role}`)
      expect(owner).toEqual({ rolcanlogin: false })
      expect(await area.databases.warnings()).toContainEqual(
        expect.stringContaining(`Roles of dropped databases stay, without a login, because something still depends`),
      )
      await removeLeftRoles()
      expect(await left()).toEqual([{ name: row.owner_role }])
      await onServer(url, 'drop database closed')
      await removeLeftRoles()
      expect(await left()).toEqual([])
    })

    it('DS-01 the logins of a database end even while something keeps it from being removed', async () => {
      const { url } = platform.server
      await using session = await asOwner(row.physical_name)
      await onServer(withDatabase(url, row.physical_name), HOLD)
      await drop()
      expect(await left()).toHaveLength(4)
      expect(await codeOf(session.query('select 1'))).not.toBe('no error')
      expect(await codeOf(asOwner(row.physical_name))).toBe('28P01')
      expect(area.lines.join('\n')).toContain('tried again every minute')
      await onServer(withDatabase(url, row.physical_name), `rollback prepared 'hold'`)
      await area.finish()
      expect(await left()).toEqual([])
    })

    it('DS-01 a database whose creation was interrupted is created with the roles that are there', async () => {
      await platform.db.query(sql`update databases.databases set state = 'creating' where id = ${row.id}`)
      await area.finish()
      expect(area.lines).toEqual([])
      expect(await platform.db.query(sql`select state from databases.databases where id = ${row.id}`)).toEqual([
        { state: 'ready' },
      ])
      await drop()
    })

    itOfGuide('DS-01 OP-05 a database in which autovacuum works is dropped', async () => {
      const { url } = platform.server
      await onServer(url, `alter system set autovacuum_naptime = '1s'`)
      await onServer(url, 'select pg_reload_conf()')
      await using owner = await asOwner(row.physical_name)
      await owner.query(`
        create table public.filled (n int, text text)
          with (autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1);
        insert into public.filled select n, repeat(md5(n::text), 20) from generate_series(1, 20000) n`)
      const isVacuumed = sql`select from pg_stat_progress_vacuum where datname = ${row.physical_name}`
      await until(async () => (await platform.db.query(isVacuumed)).length > 0)
      await drop()
      expect(area.lines).toEqual([])
      expect(await left()).toEqual([])
      await onServer(url, 'alter system reset autovacuum_naptime')
      await onServer(url, 'select pg_reload_conf()')
    })

    it('DS-01 a tenant enters no database of the server but its own', async () => {
      const { url } = platform.server
      await onServer(url, 'create database billing')
      await onServer(url, 'revoke create on database postgres from public')
      if (who === 'a superuser') await onServer(url, 'revoke connect on database postgres from public')
      const warned = await area.databases.warnings()
      if (who === 'a superuser') {
        for (const name of ['postgres', 'template1', 'svc']) expect(await codeOf(asOwner(name))).toBe('42501')
        expect(warned).toEqual([expect.stringContaining('revoke connect on database billing from public;')])
      } else {
        expect(await codeOf(asOwner('svc'))).toBe('42501')
        const advice = 'revoke connect on database postgres, template1, billing from public;'
        expect(warned).toEqual([expect.stringContaining(advice)])
        await onServer(url, advice)
        for (const name of ['postgres', 'template1', 'billing']) expect(await codeOf(asOwner(name))).toBe('42501')
        expect(await area.databases.warnings()).toEqual([])
      }
      await using own = await asOwner(row.physical_name)
      expect((await own.query('select 1 as one')).rows).toEqual([{ one: 1 }])
      await own.end()
      await onServer(url, 'drop database billing')
      await drop()
    })

    it('DS-01 an owner that holds every connection it may have leaves the platform and other tenants working', async () => {
      const other = await area.make(`others_${databaseCount}`)
      // Older versions made the role without a limit. The next process limits it again.
      await onServer(platform.server.url, `alter role ${row.owner_role} connection limit -1`)
      await using newer = startTestArea(platform.db, platform.url)
      await runJobs(newer.databases.slots[1]!)
      const held: pg.Client[] = []
      const hold = async () => {
        const client = new pg.Client({ connectionString: area.ownerUrl(row) })
        client.on('error', () => undefined)
        await client.connect()
        held.push(client)
      }
      let code: unknown = 'no error'
      while (code === 'no error' && held.length < 60) code = await codeOf(hold())
      expect([code, held.length]).toEqual(['53300', 20])
      expect(await platform.db.query(sql`select 1 as one`)).toEqual([{ one: 1 }])
      await using elsewhere = await connectTo(area.ownerUrl(other))
      expect((await elsewhere.query('select 1 as one')).rows).toEqual([{ one: 1 }])
      const reader = await area.open(row.name, 'reader')
      expect(await reader.query(sql`select 1 as one`)).toEqual([{ one: 1 }])
      const owner = await area.open(row.name, 'owner')
      await expect(owner.query(sql`select 1`)).rejects.toMatchObject({
        name: 'DatabaseUnavailable',
        retryAfterSeconds: 1,
      })
      await Promise.all(held.map((client) => client.end()))
      await drop()
    })
  })

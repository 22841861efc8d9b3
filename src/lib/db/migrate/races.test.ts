import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { needs, stores } from '#test/stores.ts'
import { onServer, withDatabase } from '#test/suite/global-setup.ts'
import { until } from '#test/until.ts'
import type { Db } from '../db.ts'
import { openPostgres } from '../postgres.ts'
import { script, sql } from '../sql.ts'
import { toMigration } from './file.ts'
import { migrate } from './migrate.ts'

const PROGRAM = join(import.meta.dirname, '..', '..', '..', '..', 'test', 'help', 'databases', 'migrate-process.ts')
const FIRST = '-- former release: runs\ncreate schema x; create table x.t (n int); insert into x.t values (1)'
const INDEX = '-- former release: runs\n-- outside transaction\ncreate index concurrently if not exists t_n on x.t (n)'
const LAST = '-- former release: runs\ninsert into x.t values (2)'
const QUICK = { lockTimeoutMs: 100, retryPauseMs: 20 }

needs('postgres')('OP-02 several processes on one database', () => {
  let url: string
  let db: Db
  let folder: string
  let name: string
  const started: ChildProcess[] = []

  beforeEach(async () => {
    name = `svc_test_migrate_${process.pid}_${Math.random().toString(36).slice(2)}`
    await onServer(stores.postgres!, `create database ${name}`)
    url = withDatabase(stores.postgres!, name)
    db = openPostgres({ url, onError: () => undefined })
    folder = mkdtempSync(join(tmpdir(), 'svc-migrate-'))
    write({ '0001_first.sql': FIRST, '0002_index.sql': INDEX, '0003_last.sql': LAST })
  })
  afterEach(async () => {
    for (const child of started.splice(0)) child.kill('SIGKILL')
    await db[Symbol.asyncDispose]()
    await onServer(stores.postgres!, `drop database ${name} with (force)`)
    rmSync(folder, { recursive: true })
  })

  const write = (files: Record<string, string>) => {
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
  }
  const start = () => {
    const child = spawn(process.execPath, [PROGRAM, url, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
    started.push(child)
    const lines: string[] = []
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
    return { child, lines, ended: once(child, 'close') }
  }
  const migrated = async () => {
    const rows = await db.query<{ name: string }>(sql`select name from public.svc_migrations order by name`)
    const numbers = await db.query<{ n: number }>(sql`select n from x.t order by n`)
    const indexes = await db.query<{ index: string }>(sql`
      select indexrelid::regclass::text || case when indisvalid then '' else ' (invalid)' end as index
      from pg_index where indrelid = 'x.t'::regclass`)
    return {
      names: rows.map((row) => row.name),
      numbers: numbers.map(({ n }) => n),
      indexes: indexes.map(({ index }) => index),
    }
  }
  const WHOLE = {
    names: ['0001_first.sql', '0002_index.sql', '0003_last.sql'],
    numbers: [1, 2],
    indexes: ['x.t_n'],
  }
  /** A connection of another program, in an open transaction after these statements. */
  const openTransaction = async (statements: string) => {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => undefined)
    await client.connect()
    await client.query(`begin; ${statements}`)
    return client
  }
  /** It has written to the table, so an index build has to wait for it. */
  const openWriter = () => openTransaction('insert into x.t values (9)')
  const isActive = async (statement: string) =>
    (
      await db.query(sql`
        select from pg_stat_activity where datname = current_database() and state = 'active'
          and wait_event_type = 'Lock' and query like ${statement}`)
    ).length > 0
  const building = () =>
    until(async () => {
      const rows = await db.query<{ pid: number }>(sql`
        select a.pid from pg_stat_activity a
        where a.datname = current_database() and a.query like 'create index concurrently%' and a.state = 'active'
          and exists (select from pg_index where indrelid = 'x.t'::regclass and not indisvalid)`)
      return rows[0]?.pid
    })

  it('each file is applied exactly once by processes that start together on an empty database', async () => {
    const processes = [start(), start(), start()]
    await Promise.all(processes.map(({ ended }) => ended))
    const lines = processes.flatMap((process) => process.lines)
    expect(lines.filter((line) => line === 'done')).toHaveLength(3)
    expect(lines.filter((line) => line.startsWith('Applied '))).toEqual([
      'Applied x/0001_first.sql',
      'Applied x/0002_index.sql',
      'Applied x/0003_last.sql',
    ])
    expect(await migrated()).toEqual(WHOLE)
  })

  it('each file is applied exactly once by pools that migrate together', async () => {
    const files = [toMigration('x', '0001_first.sql', FIRST), toMigration('x', '0002_index.sql', INDEX)]
    const pools = Array.from({ length: 4 }, () => openPostgres({ url, onError: () => undefined }))
    try {
      const done = await Promise.all([...pools, ...pools].map((pool) => migrate(pool, files)))
      expect(done.flat()).toEqual(['x/0001_first.sql', 'x/0002_index.sql'])
    } finally {
      await Promise.all(pools.map((pool) => pool[Symbol.asyncDispose]()))
    }
  })

  it('kill -9 during an index build: the next process waits for its server process and completes the work', async () => {
    await migrate(db, [toMigration('x', '0001_first.sql', FIRST)])
    const writer = await openWriter()
    const killed = start()
    await building()
    killed.child.kill('SIGKILL')
    await killed.ended
    const next = [start(), start()]
    await until(() => next.every(({ lines }) => lines.some((line) => line.startsWith('Another process'))))
    await writer.query('rollback')
    await writer.end()
    await Promise.all(next.map(({ ended }) => ended))
    expect(next.map(({ lines }) => lines.at(-1))).toEqual(['done', 'done'])
    expect(await migrated()).toEqual(WHOLE)
  })

  it('an index build that was cut off half-way is removed and built again', async () => {
    await migrate(db, [toMigration('x', '0001_first.sql', FIRST)])
    const writer = await openWriter()
    const cut = start()
    const pid = await building()
    cut.child.kill('SIGKILL')
    await cut.ended
    await db.query(sql`select pg_terminate_backend(${pid})`)
    expect((await migrated()).indexes).toEqual(['x.t_n (invalid)'])
    const next = start()
    await until(() => isActive('drop index concurrently%'))
    await writer.query('rollback')
    await writer.end()
    await next.ended
    expect(next.lines.at(-1)).toBe('done')
    expect(await migrated()).toEqual(WHOLE)
  })

  it('kill -9 inside a transaction leaves nothing of it, and the next process starts from the beginning', async () => {
    const gate = await openTransaction('select pg_advisory_xact_lock(42)')
    write({ '0003_last.sql': `${LAST}; select pg_advisory_xact_lock(42)` })
    const killed = start()
    await until(() => isActive('%pg_advisory_xact_lock(42)'))
    killed.child.kill('SIGKILL')
    await killed.ended
    await gate.end()
    const next = start()
    await next.ended
    expect(next.lines.filter((line) => line.startsWith('Applied '))).toEqual(['Applied x/0003_last.sql'])
    expect(await migrated()).toEqual(WHOLE)
  })

  it('a migration that cannot lock its table lets readers through between its attempts, then completes', async () => {
    await migrate(db, [toMigration('x', '0001_first.sql', FIRST)])
    const writer = await openWriter()
    const reports: string[] = []
    const column = toMigration('x', '0002_column.sql', '-- former release: runs\nalter table x.t add column note text')
    const files = [toMigration('x', '0001_first.sql', FIRST), column]
    const run = migrate(db, files, { ...QUICK, maxAttempts: 10_000, report: (line) => reports.push(line) })
    await until(() => reports.length > 0)
    expect(reports).toEqual(['Waiting for locks of other sessions: x/0002_column.sql'])
    expect(await db.query(sql`select n from x.t`)).toEqual([{ n: 1 }])
    await writer.query('rollback')
    await writer.end()
    expect(await run).toEqual(['x/0002_column.sql'])
  })

  it('a migration that never gets its locks is refused with the reason, and nothing of it is left', async () => {
    await migrate(db, [toMigration('x', '0001_first.sql', FIRST)])
    const writer = await openWriter()
    const column = toMigration('x', '0002_column.sql', '-- former release: runs\nalter table x.t add column note text')
    const run = migrate(db, [toMigration('x', '0001_first.sql', FIRST), column], { ...QUICK, maxAttempts: 2 })
    await expect(run).rejects.toMatchObject({
      name: 'MigrationRefused',
      message:
        'x/0002_column.sql: other sessions kept the tables locked in 2 attempts. ' +
        'End long transactions (see pg_stat_activity), then repeat.',
    })
    await writer.end()
    expect((await migrated()).names).toEqual(['0001_first.sql'])
  })

  it('a release that holds the lock in a transaction is waited for, as long as is allowed', async () => {
    const former = await openTransaction('select pg_advisory_xact_lock(7310021)')
    const files = [toMigration('x', '0001_first.sql', FIRST)]
    await expect(migrate(db, files, { maxWaitMs: 0 })).rejects.toThrow(
      'Another process is still migrating the database. Wait until it is done, then repeat.',
    )
    const reports: string[] = []
    const run = migrate(db, files, { report: (line) => reports.push(line) })
    await until(() => reports.length > 0)
    await former.query('commit')
    await former.end()
    expect(await run).toEqual(['x/0001_first.sql'])
    expect(reports).toEqual([
      'Another process is migrating the database. Waiting for it to finish.',
      'Applied x/0001_first.sql',
    ])
  })

  it('a start with nothing to do does not wait for a process that migrates', async () => {
    const files = [toMigration('x', '0001_first.sql', FIRST)]
    await migrate(db, files)
    const other = await openTransaction('select pg_advisory_xact_lock(7310021)')
    const reports: string[] = []
    expect(await migrate(db, files, { report: (line) => reports.push(line) })).toEqual([])
    expect(reports).toEqual([])
    await other.end()
  })

  it('the connection of a session is not used again', async () => {
    await using pool = openPostgres({ url, onError: () => undefined, maxConnections: 1 })
    await pool.session((session) => session.query(script('set lock_timeout = 1234')))
    expect(await pool.query(sql`select current_setting('lock_timeout') as limit`)).toEqual([{ limit: '0' }])
  })
})

import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSealer } from '#lib/crypto/seal.ts'
import { codeOf, connectTo } from '#test/databases/managed-databases.ts'
import { newDatabase, openPassword } from '../../model/new-database.ts'
import type { DatabaseRow } from '../../model/store.ts'
import { connectionString } from '../engine.ts'
import { createEmbeddedEngine } from './engine.ts'

const sealer = createSealer(['ab'.repeat(32)])
const dataDir = mkdtempSync(join(tmpdir(), 'svc-embedded-'))
const rows = new Map<string, DatabaseRow>()
const engine = createEmbeddedEngine({
  dataDir,
  limit: 5,
  find: async (name) => rows.get(name),
  onError: (error) => console.error(error),
  statementMs: 12_000,
  idleInTransactionMs: 4_000,
})
let one: DatabaseRow
let two: DatabaseRow

beforeAll(async () => {
  one = await make('one')
  two = await make('two')
})
afterAll(async () => {
  await engine.close()
  rmSync(dataDir, { recursive: true, force: true })
})

async function make(name: string): Promise<DatabaseRow> {
  const row = await newDatabase({ org_id: 'org_1', name, created_by: 'usr_1', created_at: new Date() }, sealer)
  await engine.create(row)
  rows.set(row.physical_name, row)
  return row
}

async function stringOf(row: DatabaseRow, as: 'owner' | 'reader' = 'owner'): Promise<string> {
  const login = { role: row[`${as}_role`], password: openPassword(row, as, sealer), database: row.physical_name }
  return connectionString(await engine.publicAddress(), login)
}

const connect = async (row: DatabaseRow, as?: 'owner' | 'reader') => connectTo(await stringOf(row, as))
const single = async (client: Client, text: string, values?: unknown[]) =>
  Object.values((await client.query(text, values)).rows[0] as Record<string, unknown>)[0]

describe('DS-02 the wire server of the embedded engine', () => {
  it('making a database again changes nothing', async () => {
    await engine.create(one)
    await using client = await connect(one)
    expect(await single(client, 'select current_user')).toBe(one.owner_role)
    expect(await single(client, 'select session_user')).toBe(one.owner_role)
  })

  it('refuses a wrong password, an unknown role, and an unknown or another database alike', async () => {
    const right = await stringOf(one)
    const changed = (change: (url: URL) => void) => {
      const url = new URL(right)
      change(url)
      return codeOf(connectTo(url.href))
    }
    expect(await changed((url) => (url.password = 'wrong'))).toBe('28P01')
    expect(await changed((url) => (url.username = 'postgres'))).toBe('28P01')
    expect(await changed((url) => (url.pathname = '/d_none'))).toBe('28P01')
    expect(await changed((url) => (url.pathname = `/${two.physical_name}`))).toBe('28P01')
  })

  it('keeps two databases apart', async () => {
    await using first = await connect(one)
    await using second = await connect(two)
    await first.query('create table apart (id int)')
    expect(await codeOf(second.query('select * from apart'))).toBe('42P01')
  })

  it('lets two connections take turns, each with its own prepared statements of the same name', async () => {
    await using first = await connect(one)
    await using second = await connect(one)
    const ask = (client: Client, text: string) => client.query({ name: 'same', text, values: [20] })
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all([
        ask(first, 'select $1::int + 1 as sum'),
        ask(second, 'select $1::int + 2 as sum'),
      ])
      expect(answers.map(({ rows: [row] }) => row)).toEqual([{ sum: 21 }, { sum: 22 }])
    }
  })

  it('gives nothing a connection set to the next one: settings, search path, temporary tables, role', async () => {
    await using first = await connect(one)
    await using second = await connect(one, 'reader')
    await first.query(`set search_path = nowhere; set work_mem = '77MB'; create temporary table mine (id int)`)
    expect(await single(second, 'select current_user')).toBe(one.reader_role)
    expect(await single(second, 'show search_path')).toBe('pg_catalog')
    expect(await single(second, 'show work_mem')).not.toBe('77MB')
    expect(await codeOf(second.query('select * from pg_temp.mine'))).toBe('42P01')
    expect(await codeOf(second.query('create table theirs (id int)'))).toMatch(/^(?:25006|42501)$/)
    expect(await single(first, 'select current_user')).toBe(one.owner_role)
  })

  it('keeps a transaction whole while others wait, and a failed one failed until it ends', async () => {
    await using first = await connect(one)
    await using second = await connect(one)
    await first.query('create table sums (n int)')
    await first.query('begin')
    await first.query('insert into sums values (1)')
    const seen = single(second, 'select count(*)::int from sums')
    expect(await codeOf(first.query('selct'))).toBe('42601')
    expect(await codeOf(first.query('select 1'))).toBe('25P02')
    await first.query('rollback')
    expect(await seen).toBe(0)
    expect(await single(first, 'select 1')).toBe(1)
  })

  it('rolls back and ends one that sleeps in a transaction', async () => {
    await using first = await connect(one)
    await using second = await connect(one)
    await first.query('create table slept (n int); begin; insert into slept values (1)')
    // `create` was in the same string and so in the same transaction.
    expect(await codeOf(second.query('select * from slept'))).toBe('42P01')
    expect(await codeOf(first.query('select 1'))).not.toBe('no error')
  })

  it('a client that goes away in a transaction leaves nothing behind', async () => {
    await using second = await connect(one)
    await second.query('create table gone (n int)')
    const first = await connect(one)
    await first.query('begin')
    await first.query('insert into gone values (1)')
    await first.end()
    expect(await single(second, 'select count(*)::int from gone')).toBe(0)
  })

  it('ends a statement past its limit with its connection; others go on, and a question does not wait for it', async () => {
    await using runaway = await connect(one)
    await using beside = await connect(one)
    await using elsewhere = await connect(two)
    await using question = await connect(one, 'reader')
    await runaway.query('create table kept (n int)')
    // From here on it has the session, whichever statement reaches the server first.
    await runaway.query('begin')
    const order: string[] = []
    const killed = codeOf(runaway.query('select count(*) from generate_series(1, 1e12)')).then((code) => {
      order.push('killed')
      return code
    })
    const waiting = single(beside, 'select count(*)::int from kept')
    expect(await single(elsewhere, 'select 1')).toBe(1)
    order.push('elsewhere')
    expect(await codeOf(question.query('select 1'))).toBe('53300')
    expect(await killed).toBe('57014')
    expect(order).toEqual(['elsewhere', 'killed'])
    expect(await waiting).toBe(0)
  })

  it('a COPY into nowhere is an error like any other', async () => {
    await using client = await connect(one)
    expect(await codeOf(client.query('copy nowhere from stdin'))).toBe('42P01')
    expect(await single(client, `select 'copy x from stdin' as text`)).toBe('copy x from stdin')
  })

  it('a COPY that a driver begins and cannot feed ends as on a server: for its connection, and for nobody else', async () => {
    await using client = await connect(one)
    await using other = await connect(one)
    await client.query('create table copied (n int)')
    const answer = client.query({ text: 'copy copied from stdin', values: [], name: 'copy' })
    expect(await codeOf(answer)).toBe('57014')
    // The driver sent its Sync before it knew that this is a COPY, and Postgres ignores it there: both wait.
    expect(await codeOf(client.query('select 1'))).toBe('25P03')
    expect(await single(other, 'select count(*)::int from copied')).toBe(0)
  })
})

const run = promisify(execFile)
const hasPsql = (() => {
  try {
    execFileSync('psql', ['--version'])
    return true
  } catch {
    return false
  }
})()

it('what was dropped is not brought back by a client that knocks meanwhile', async () => {
  const three = await make('three')
  await using client = await connect(three)
  await engine.drop(three)
  expect(await codeOf(client.query('select 1'))).not.toBe('no error')
  // `find` still answers here, as it may for a login that began before the drop.
  expect(await codeOf(connect(three))).not.toBe('no error')
  expect(existsSync(join(dataDir, 'databases', three.physical_name))).toBe(false)
})

describe.skipIf(!hasPsql)('DS-02 psql on the embedded engine (skipped: needs psql on the PATH)', () => {
  async function psql(...commands: string[]): Promise<string> {
    const { stdout } = await run('psql', [
      await stringOf(two),
      '-XAtq',
      '-v',
      'ON_ERROR_STOP=1',
      ...commands.flatMap((command) => ['-c', command]),
    ])
    return stdout
  }
  const copy = `\\copy lines from program 'seq 1 5000'`

  it('copies in and out, also inside a transaction', async () => {
    expect(await psql('create table lines (n int)', copy, 'select count(*) from lines')).toBe('5000\n')
    expect(await psql('begin', copy, 'commit', 'select count(*) from lines')).toBe('10000\n')
    expect(await psql('begin', copy, 'rollback', 'select count(*) from lines')).toBe('10000\n')
    expect((await psql('\\copy (select n from lines order by n limit 2) to stdout')).trim()).toBe('1\n1')
  })

  it('a COPY of what does not fit is refused and nothing of it stays', async () => {
    await expect(psql(`\\copy lines from program 'echo x'`)).rejects.toThrow('invalid input syntax')
    expect(await psql('select count(*) from lines')).toBe('10000\n')
  })

  it('describes what is there', async () => {
    expect(await psql('\\dt')).toContain('lines')
    expect(await psql('\\d lines')).toContain('integer')
  })
})

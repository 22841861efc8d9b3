import { connect as connectSocket, type Socket } from 'node:net'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, single, type TestEngine } from '#test/databases/embedded-engine.ts'
import { codeOf } from '#test/databases/managed-databases.ts'
import type { DatabaseRow } from '../../model/store.ts'
import { message } from './wire-messages.ts'

let engine: TestEngine
let row: DatabaseRow

beforeAll(async () => {
  engine = openTestEngine({ idleInTransactionMs: 5_000 })
  row = await engine.make('wired')
})
afterAll(() => engine[Symbol.asyncDispose]())

/** The socket under a client, to send what no driver would. */
function socketOf(client: pg.Client): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream
}

describe('a client that holds the session', () => {
  it('DS-02 and stops in the middle of data nobody asked for loses it after the idle limit', async () => {
    await using holder = await engine.connect(row)
    await using other = await engine.connect(row)
    await holder.query('begin')
    const head = Buffer.from('d\0\0\0\0', 'latin1')
    head.writeInt32BE(48 * 1024 * 1024, 1)
    socketOf(holder).write(Buffer.concat([head, Buffer.alloc(64 * 1024)]))
    expect(await single(other, 'select 1')).toBe(1)
  })

  it('DS-02 and was rolled back cannot commit any more', async () => {
    await using holder = await engine.connect(row)
    await using other = await engine.connect(row)
    await other.query('create table rolled (n int)')
    await holder.query('begin')
    await holder.query('insert into rolled values (1)')
    socketOf(holder).pause()
    expect(await single(other, 'select count(*)::int from rolled')).toBe(0)
    socketOf(holder).write(message('Q', 'commit'))
    expect(await single(other, 'select count(*)::int from rolled')).toBe(0)
  })

  it('DS-02 is refused a message that only a login has, and the session is free', async () => {
    await using holder = await engine.connect(row)
    await using other = await engine.connect(row)
    await holder.query('begin')
    socketOf(holder).write(message('p', 'a password'))
    expect(await single(other, 'select 1')).toBe(1)
    expect(await codeOf(holder.query('select 1'))).not.toBe('no error')
  })
})

it('DS-02 a client that does not read its answer loses the session when its statement has run too long', async () => {
  await using short = openTestEngine({ statementMs: 5_000 })
  const database = await short.make('unread')
  await using idle = await short.connect(database)
  await using other = await short.connect(database)
  socketOf(idle).pause()
  idle.query(`select repeat('x', 1000000) from generate_series(1, 100000)`).catch(() => undefined)
  await new Promise((resolve) => socketOf(idle).write('', resolve))
  expect(await single(other, 'select 1')).toBe(1)
})

describe('clients that are gone', () => {
  it('DS-02 while they wait are removed from the queue, and their statements never run', async () => {
    await using holder = await engine.connect(row)
    await holder.query('create table ghosts (n int)')
    await holder.query('begin')
    for (let n = 0; n < 30; n++) {
      const client = await engine.connect(row)
      client.query('insert into ghosts values (1)').catch(() => undefined)
      await new Promise((resolve) => socketOf(client).write('', resolve))
      socketOf(client).destroy()
      await holder.query('select 1')
    }
    await holder.query('commit')
    await using after = await engine.connect(row)
    expect(await single(after, 'select count(*)::int from ghosts')).toBe(0)
  })
})

describe('named statements', () => {
  const select = (client: pg.Client, name: string, n: number) => {
    // The driver remembers names too; here the server is asked.
    remember(client, {})
    return client.query<{ n: number }>({ name, text: `select ${n} as n` })
  }
  const use = (client: pg.Client, name: string) => {
    remember(client, { [name]: 'remembered' })
    return client.query<{ n: number }>({ name, text: 'remembered' })
  }
  const remember = (client: pg.Client, statements: Record<string, string>) => {
    const { connection } = client as unknown as { connection: { parsedStatements: Record<string, string> } }
    connection.parsedStatements = statements
  }

  it('DS-02 a name that is taken keeps its first statement, also after another connection had its turn', async () => {
    await using client = await engine.connect(row)
    await using other = await engine.connect(row)
    expect((await select(client, 's', 1)).rows).toEqual([{ n: 1 }])
    expect(await codeOf(select(client, 's', 2))).toBe('42P05')
    expect(await single(other, 'select 1')).toBe(1)
    expect(await codeOf(select(client, 's', 2))).toBe('42P05')
    expect(await single(other, 'select 1')).toBe(1)
    expect((await use(client, 's')).rows).toEqual([{ n: 1 }])
  })

  it('DS-02 beyond the limit are refused with a clear error', async () => {
    await using client = await engine.connect(row)
    const makeMany = async () => {
      for (let n = 0; n < 5_000; n++) await client.query({ name: `s${n}`, text: 'select 1' })
    }
    await expect(makeMany()).rejects.toThrow('named statements of one connection may have 4 MiB together')
    await using next = await engine.connect(row)
    expect(await single(next, 'select 1')).toBe(1)
  })
})

it('DS-02 clients that connect again and again without sending anything block no login', async () => {
  const { port } = await engine.engine.publicAddress()
  let isOver = false
  const churn = () => {
    if (isOver) return
    connectSocket(port, '127.0.0.1')
      .on('error', () => {})
      .on('close', churn)
  }
  for (let n = 0; n < 60; n++) churn()
  try {
    for (let n = 0; n < 10; n++) {
      await using client = await engine.connect(row)
      expect(await single(client, 'select 1')).toBe(1)
    }
  } finally {
    isOver = true
  }
})

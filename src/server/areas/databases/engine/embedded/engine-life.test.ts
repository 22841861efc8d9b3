import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { connect as connectSocket, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, single, type TestEngine } from '#test/databases/embedded-engine.ts'
import { codeOf } from '#test/databases/managed-databases.ts'
import { needs } from '#test/stores.ts'
import { until, untilDone } from '#test/until.ts'
import type { DatabaseRow } from '../../model/store.ts'

let engine: TestEngine
let row: DatabaseRow

beforeAll(async () => {
  engine = openTestEngine()
  row = await engine.make('lively')
})
afterAll(() => engine[Symbol.asyncDispose]())

const isRunning = (pid: number) => existsSync(`/proc/${pid}`)

describe('an engine’s process', () => {
  it('DS-02 killed with kill -9 again and again loses nothing that was committed', async () => {
    await using first = await engine.connect(row)
    await first.query('create table numbers (n int primary key)')
    let acknowledged = 0
    for (let round = 0; round < 4; round++) {
      await using writer = await engine.connect(row)
      const killed = (async () => {
        for (;;) {
          await writer.query('insert into numbers values ($1)', [acknowledged + 1])
          acknowledged++
          if (acknowledged % 7 === 3) process.kill(engine.pidOf(row)!, 'SIGKILL')
        }
      })()
      expect(await codeOf(killed)).not.toBe('no error')
      await using reader = await engine.connect(row)
      const counted = Number(await single(reader, 'select count(*) from numbers'))
      // One more may have been committed whose answer was lost.
      expect([acknowledged, acknowledged + 1]).toContain(counted)
      acknowledged = counted
    }
  })

  it('DS-02 that is broken is replaced: a program cannot be run, and the next statement works', async () => {
    await using breaking = await engine.connect(row)
    await breaking.query('set session authorization postgres')
    expect(await codeOf(breaking.query(`copy (select 1) to program 'cat'`))).toBe('57P02')
    await using next = await engine.connect(row)
    expect(await single(next, 'select 1')).toBe(1)
  })

  it('DS-02 is stopped when nobody uses it, is measured without a start, and comes back for a connection that stayed open', async () => {
    await using idle = openTestEngine({ idleMs: 50 })
    const sleepy = await idle.make('sleepy')
    await using client = await idle.connect(sleepy)
    await client.query('create table kept (n int); insert into kept values (1)')
    await client.query({ name: 'named', text: 'select n from kept' })
    await until(() => idle.pidOf(sleepy) === undefined)
    expect((await idle.engine.sizesOf([sleepy.physical_name])).get(sleepy.physical_name)).toBeGreaterThan(1_000_000)
    expect(idle.pidOf(sleepy)).toBeUndefined()
    expect(await single(client, 'select n from kept')).toBe(1)
    await until(() => idle.pidOf(sleepy) === undefined)
    const { rows } = await client.query<{ n: number }>({ name: 'named', text: 'select n from kept' })
    expect(rows).toEqual([{ n: 1 }])
    expect(idle.errors).toEqual([])
  })

  it('DS-21 that idles in a transaction is waited for, also by a question that begins right after its last statement', async () => {
    const idleInTransactionMs = 300
    await using idle = openTestEngine({ idleInTransactionMs })
    const held = await idle.make('held')
    await using owner = await idle.connect(held)
    await using question = await idle.connectOwn(held)
    await question.query('select 1')
    await owner.query('begin')
    const asked = question.query('select 2 as n')
    // Both limits pass while this process is busy, as on a machine under load.
    await new Promise((resolve) => setImmediate(resolve))
    const busyUntil = performance.now() + 2 * idleInTransactionMs
    while (performance.now() < busyUntil);
    expect((await asked).rows).toEqual([{ n: 2 }])
    expect(await codeOf(owner.query('select 1'))).not.toBe('no error')
  })

  it('DS-02 left by a server that was killed ends before the next one opens its folder', async () => {
    await using former = await engine.connect(row)
    await former.query('select 1')
    const pid = engine.pidOf(row)!
    expect(isRunning(pid)).toBe(true)
    await using second = openTestEngine({}, engine)
    await using client = await second.connect(row)
    expect(await single(client, 'select 1')).toBe(1)
    expect(isRunning(pid)).toBe(false)
    expect(second.pidOf(row)).not.toBe(pid)
  })

  it('DS-02 is not killed if another process has its number now', async () => {
    await using one = openTestEngine()
    const database = await one.make('renumbered')
    await one.engine.close()
    const file = `${one.folderOf(database)}.pid`
    const { writeFileSync } = await import('node:fs')
    writeFileSync(file, `${process.pid} 1`)
    await using second = openTestEngine({}, one)
    await using client = await second.connect(database)
    expect(await single(client, 'select 1')).toBe(1)
    expect(readFileSync(file, 'utf8')).not.toContain(`${process.pid} 1`)
  })
  it('DS-02 that needs more memory than allowed is stopped at its start with a clear error', async () => {
    await using small = openTestEngine({ memoryBytes: 40 * 1024 * 1024 })
    await expect(small.make('starving')).rejects.toThrow('it may use 40 MiB of memory')
  })

  it('DS-02 that is starting when the server closes is gone afterwards', async () => {
    await using closing = openTestEngine()
    const database = await closing.make('closing')
    process.kill(closing.pidOf(database)!, 'SIGKILL')
    await until(() => closing.pidOf(database) === undefined)
    const client = new pg.Client({ connectionString: await closing.stringOf(database) })
    client.on('error', () => {})
    await client.connect()
    const asked = codeOf(client.query('select 1'))
    await until(() => closing.pidOf(database) !== undefined)
    const pid = closing.pidOf(database)!
    await closing.engine.close()
    expect(isRunning(pid)).toBe(false)
    expect(await asked).not.toBe('no error')
  })

  it('DS-01 dropped is gone, also when its engine left paths longer than any', async () => {
    const database = await engine.make('deep')
    const folder = engine.folderOf(database)
    execFileSync('bash', ['-c', 'for n in {1..25}; do d=$(printf %0200d 7); mkdir "$d"; cd "$d"; done'], {
      cwd: folder,
    })
    await engine.engine.drop(database)
    expect(existsSync(folder)).toBe(false)
    expect(readdirSync(join(engine.dataDir, 'databases')).filter((name) => name.startsWith('removed'))).toEqual([])
  })
})

describe('the port of embedded databases', () => {
  it('DS-02 is the same after a restart, and open before anybody asks for a connection string', async () => {
    await using first = openTestEngine()
    const database = await first.make('moved')
    const before = await first.stringOf(database)
    await first.engine.close()
    await using second = openTestEngine({}, first)
    await untilDone(async () => {
      const client = new pg.Client({ connectionString: before })
      await client.connect()
      await client.end()
    })
    expect(await second.stringOf(database)).toBe(before)
  })

  it('DS-02 that is in use after a restart is reported, and another one is used', async () => {
    await using first = openTestEngine()
    const database = await first.make('squeezed')
    const { port } = await first.engine.publicAddress()
    await first.engine.close()
    const squatter = createServer()
    await new Promise<void>((resolve) => squatter.listen(port, '127.0.0.1', resolve))
    await using second = openTestEngine({}, first)
    await using client = await second.connect(database)
    expect(await single(client, 'select 1')).toBe(1)
    expect(String(second.errors[0])).toContain(
      `another program has port ${port}: connection strings given out earlier lead there`,
    )
    squatter.close()
  })
})

it('DS-02 is used even if it cannot be stored', async () => {
  await using unwritable = openTestEngine()
  mkdirSync(join(unwritable.dataDir, 'databases', 'port'), { recursive: true })
  const database = await unwritable.make('portless')
  await using client = await unwritable.connect(database)
  expect(await single(client, 'select 1')).toBe(1)
  expect(String(unwritable.errors[0])).toContain('EISDIR')
})

describe('many connections', () => {
  it('DS-21 two hundred without a password keep neither a login nor our own readers out', async () => {
    const { port } = await engine.engine.publicAddress()
    const sockets: Socket[] = []
    for (let n = 0; n < 200; n++) {
      const socket = connectSocket(port, '127.0.0.1').on('error', () => {})
      sockets.push(socket)
      await new Promise((resolve) => socket.once('connect', resolve))
    }
    await using owner = await engine.connect(row)
    expect(await single(owner, 'select 1')).toBe(1)
    await using own = await engine.connectOwn(row)
    expect(await single(own, 'select 1')).toBe(1)
    for (const socket of sockets) socket.destroy()
  })

  it('DS-21 to one database are limited; a further one gets an error, and our own connections still work', async () => {
    const open: pg.Client[] = []
    try {
      for (let n = 0; n < 20; n++) open.push(await engine.connect(row))
      expect(await codeOf(engine.connect(row))).toBe('53300')
      await using own = await engine.connectOwn(row)
      expect(await single(own, 'select 1')).toBe(1)
    } finally {
      await Promise.all(open.map((client) => client.end()))
    }
    await using client = await engine.connect(row)
    expect(await single(client, 'select 1')).toBe(1)
  })
})

describe('without bubblewrap', () => {
  it('DS-01 the server’s start and each create warn that owners must be trusted', async () => {
    await using bare = openTestEngine({ bubblewrapPlaces: [] })
    expect(await bare.engine.warning!()).toContain('bubblewrap is not installed: embedded databases run with')
    expect(await bare.engine.warning!()).toContain('must be trusted with this machine')
    await using broken = openTestEngine({ bubblewrapPlaces: [process.execPath] })
    expect(await broken.engine.warning!()).toContain('bubblewrap does not work here')
    const database = await broken.make('trusted')
    await using client = await broken.connect(database)
    expect(await single(client, 'select 1')).toBe(1)
  })
})

needs('bubblewrap')('with bubblewrap', () => {
  it('DS-01 nobody is warned', async () => {
    expect(await engine.engine.warning!()).toBeUndefined()
  })
})

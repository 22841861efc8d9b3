import { execFile, execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import type { connect as connectSocket } from 'node:net'
import { promisify } from 'node:util'
import { queryObjects } from 'node:v8'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, single, type TestEngine } from '#test/databases/embedded-engine.ts'
import { codeOf } from '#test/databases/managed-databases.ts'
import { until } from '#test/until.ts'
import type { DatabaseRow } from '../../model/store.ts'

const MIB = 1024 * 1024
/** Memory that an answer of any size may add to all our processes together. */
const BOUND = 96 * MIB

let engine: TestEngine
let row: DatabaseRow

beforeAll(async () => {
  engine = openTestEngine({ rowBytes: 16 * MIB, ownAnswerBytes: 8 * MIB, memoryBytes: 400 * MIB })
  row = await engine.make('large')
})
afterAll(() => engine[Symbol.asyncDispose]())

/** Proportional set size of this process and every process below it, as the operating system counts it. */
function memoryOfAll(): number {
  const parents = new Map<number, number>()
  for (const pid of readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)) {
    const parent = /^\d+ \(.*\) \S (\d+)/s.exec(readOrNothing(`/proc/${pid}/stat`))?.[1]
    if (parent) parents.set(pid, Number(parent))
  }
  const isOurs = (pid: number): boolean => pid === process.pid || (parents.has(pid) && isOurs(parents.get(pid)!))
  const sizes = [...parents.keys()].filter(isOurs).map((pid) => readOrNothing(`/proc/${pid}/smaps_rollup`))
  return sizes.reduce((sum, text) => sum + Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1024, 0)
}

function readOrNothing(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Reads an answer to its end without keeping it, and samples the memory on the way. */
async function drain(statement: string): Promise<{ bytes: number; peak: number }> {
  const client = await engine.connect(row)
  const { stream } = (client as unknown as { connection: { stream: ReturnType<typeof connectSocket> } }).connection
  stream.removeAllListeners('data')
  let bytes = 0
  let peak = 0
  let sampled = 0
  const done = new Promise<void>((resolve) => {
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes - sampled > 16 * MIB) {
        sampled = bytes
        peak = Math.max(peak, memoryOfAll())
      }
      // ReadyForQuery, idle.
      if (chunk.subarray(-6).equals(Buffer.from([0x5a, 0, 0, 0, 5, 0x49]))) resolve()
    })
  })
  client.query(statement).catch(() => undefined)
  await done
  stream.destroy()
  return { bytes, peak }
}

const hasProc = process.platform === 'linux'

describe.skipIf(!hasProc)('memory of an embedded database (skipped: needs /proc of Linux)', () => {
  it('DS-21 an answer of ten times the bound passes through without being held', async () => {
    const rows = (count: number) => `select repeat('x', 1000000) from generate_series(1, ${count})`
    await drain(rows(50))
    const before = memoryOfAll()
    const { bytes, peak } = await drain(rows(Math.ceil((10 * BOUND) / 1_000_000)))
    expect(bytes).toBeGreaterThan(10 * BOUND)
    expect(peak - before).toBeLessThan(BOUND)
  })

  it('DS-21 a client that does not read holds its engine back, not our memory', async () => {
    await using client = await engine.connect(row)
    const before = memoryOfAll()
    const { stream } = (client as unknown as { connection: { stream: ReturnType<typeof connectSocket> } }).connection
    stream.pause()
    client.query(`select repeat('x', 1000000) from generate_series(1, 100000)`).catch(() => undefined)
    // It is stuck when the engine has stopped using its processor.
    const pid = engine.pidOf(row)!
    let last = -1
    for (let ticks = cpuTicks(pid); ticks !== last; ticks = cpuTicks(pid)) {
      last = ticks
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
    expect(memoryOfAll() - before).toBeLessThan(BOUND)
    stream.destroy()
  })

  it('DS-21 a row over the limit is refused with a clear error, and the next statement works', async () => {
    await using client = await engine.connect(row)
    await expect(client.query(`select repeat('x', ${17 * MIB})`)).rejects.toThrow(
      'a row is too large: at most 16 MiB are returned in one row',
    )
    await using next = await engine.connect(row)
    expect(await single(next, `select length(repeat('x', ${17 * MIB}))`)).toBe(17 * MIB)
  })

  it('DS-21 an answer over the reader’s limit is refused with a clear error', async () => {
    await using reader = await engine.connect(row, 'reader')
    await expect(reader.query(`select repeat('x', 1000000) from generate_series(1, 20)`)).rejects.toThrow(
      'the answer is too large: at most 8 MiB are returned',
    )
    await using owner = await engine.connect(row)
    const { rowCount } = await owner.query(`select repeat('x', 1000000) from generate_series(1, 20)`)
    expect(rowCount).toBe(20)
  })

  it('DS-21 an engine over its memory limit is stopped and replaced, and other engines are not affected', async () => {
    const neighbour = await engine.make('neighbour')
    await using beside = await engine.connect(neighbour)
    const pid = engine.pidOf(neighbour)
    await using client = await engine.connect(row)
    await client.query('create table if not exists kept (n int)')
    const hungry = `select cardinality(array_agg(repeat('x', 1000) || n)) from generate_series(1, 4000000) n`
    const failure = client.query(hungry)
    await expect(failure).rejects.toThrow('the engine was stopped: it may use 400 MiB of memory')
    expect(await codeOf(failure)).toBe('53200')
    await using next = await engine.connect(row)
    expect(await single(next, 'select count(*)::int from kept')).toBe(0)
    expect(await single(beside, 'select 1')).toBe(1)
    expect(engine.pidOf(neighbour)).toBe(pid)
  })
})

/** Clock ticks that the process and those below it have used. */
function cpuTicks(pid: number): number {
  const stat = readOrNothing(`/proc/${pid}/stat`)
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const children = readOrNothing(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number)
  return Number(fields[11]) + Number(fields[12]) + children.reduce((sum, child) => sum + cpuTicks(child), 0)
}

const hasPsql = (() => {
  try {
    execFileSync('psql', ['--version'])
    return true
  } catch {
    return false
  }
})()

describe.skipIf(!hasPsql)('COPY with psql (skipped: needs psql on the PATH)', () => {
  it('DS-02 of a table larger than any limit goes in and out', async () => {
    const psql = async (...commands: string[]) => {
      const args = [await engine.stringOf(row), '-XAtq', '-v', 'ON_ERROR_STOP=1']
      const { stdout } = await promisify(execFile)('psql', [...args, ...commands.flatMap((text) => ['-c', text])])
      return stdout.trim()
    }
    const fill = `\\copy long_lines from program 'yes $(printf %01000d 7) | head -n 30000'`
    expect(await psql('create table long_lines (line text)', fill, 'select count(*) from long_lines')).toBe('30000')
    expect(await psql(`\\copy long_lines to program 'wc -c'`)).toBe('30030000')
  })
})

describe('statements that have ended', () => {
  it('DS-02 leave nothing behind in our process', async () => {
    await using outside = await engine.connect(row)
    await using own = await engine.connectOwn(row)
    const ask = async (times: number) => {
      for (const client of [outside, own]) for (let n = 0; n < times; n++) await client.query('select 1')
    }
    await ask(10)
    // Counts after a full garbage collection. A promise is kept by each reaction that waits for another promise.
    const before = queryObjects(Promise, { format: 'count' })
    await ask(100)
    // Some may not have ended yet on a busy machine. Those that are kept would stay.
    await until(() => queryObjects(Promise, { format: 'count' }) - before < 100)
  })
})

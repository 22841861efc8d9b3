import { linkSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { workerEntry } from '#lib/files/bundle.ts'
import { openTestEngine, single, type TestEngine } from '#test/databases/embedded-engine.ts'
import { codeOf } from '#test/databases/managed-databases.ts'
import type { DatabaseRow } from '../../model/store.ts'

/**
 * Plays an engine that was taken over. It behaves until it is asked something that holds the word `hostile`, and then
 * writes what the file of that name in its folder says, byte by byte, as often as it says.
 */
const place = mkdtempSync(join(tmpdir(), 'svc-hostile-'))
const script = join(place, 'hostile-engine.ts')
const real = readFileSync(workerEntry('src/server/areas/databases/engine/embedded/engine-child.ts'), 'utf8')
const HOSTILE = `
import { readFileSync as readPlan } from 'node:fs'
function misbehave(bytes: Buffer): void {
  if (!bytes.includes('hostile')) return
  const { hex, times } = JSON.parse(readPlan(folder + '/hostile.json', 'utf8'))
  const answer = Buffer.from(hex, 'hex')
  for (let n = 0; n < times; n++) writeFully(answer)
}
`
writeFileSync(
  script,
  `${real.replace('input = Buffer.from(chunk.subarray(0, length))', '$&\n  misbehave(input)')}${HOSTILE}`,
)

let engine: TestEngine
let taken: DatabaseRow
let other: DatabaseRow

beforeAll(async () => {
  engine = openTestEngine({ script, statementMs: 60_000, rowBytes: 1024 * 1024, ownAnswerBytes: 4 * 1024 * 1024 })
  taken = await engine.make('taken')
  other = await engine.make('other')
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
  rmSync(place, { recursive: true, force: true })
})

const frame = (type: string, payload: Buffer) => {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeUInt32BE(payload.length, 1)
  return Buffer.concat([head, payload])
}
const message = (type: string, length: number, body = Buffer.alloc(0)) => {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(length, 1)
  return Buffer.concat([head, body])
}
/** A setting's value: the longest message that a driver takes at any time. */
const parameter = Buffer.from(`a\0${'x'.repeat(60_000)}\0`)

function plan(bytes: Buffer, times = 1): void {
  const file = join(engine.folderOf(taken), 'hostile.json')
  writeFileSync(file, JSON.stringify({ hex: bytes.toString('hex'), times }))
}

const ENDLESS = 1_000_000_000

describe('messages of an engine that was taken over', () => {
  it.each([
    ['a frame of an unknown type', frame('?', Buffer.alloc(3)), 1],
    ['a frame longer than any', Buffer.from('44ffffffff', 'hex'), 1],
    ['no frame at all, without end', Buffer.alloc(1024, 0x55), ENDLESS],
    ['empty frames without end', frame('D', Buffer.alloc(0)), 1_000],
    ['a message of an unknown type', frame('D', message('!', 4)), 1],
    ['a message of a negative length', frame('D', message('D', -5)), 1],
    ['a message of a length below its own head', frame('D', message('D', 3)), 1],
    ['a row larger than any', frame('D', message('D', 0x7fffffff)), 1],
    ['a request for the password in clear text', frame('D', message('R', 8, Buffer.from([0, 0, 0, 3]))), 1],
    ['a request to begin SCRAM anew', frame('D', message('R', 8, Buffer.from([0, 0, 0, 10]))), 1],
    ['more answers than were asked for', frame('I', Buffer.alloc(0)), 3],
  ])('DS-21 %s: its own caller fails, the next one and the neighbour are served', async (_what, bytes, times) => {
    plan(bytes, times)
    await using caller = await engine.connect(taken)
    await using neighbour = await engine.connect(other)
    await codeOf(caller.query(`select 'hostile'`))
    expect(await single(neighbour, 'select 1')).toBe(1)
    await codeOf(caller.query('select 1'))
    // An engine that confused its caller is replaced for the next one.
    await caller.end().catch(() => undefined)
    await using next = await engine.connect(taken)
    expect(await single(next, 'select 2')).toBe(2)
  })

  it('DS-21 endless messages stop at the answer limit of a question, which fails with a clear error', async () => {
    plan(frame('D', message('S', parameter.length + 4, parameter)), ENDLESS)
    await using reader = await engine.connect(taken, 'reader')
    const failed = reader.query(`select 'hostile'`)
    expect(await codeOf(failed)).toBe('54000')
    await using neighbour = await engine.connect(other)
    expect(await single(neighbour, 'select 1')).toBe(1)
  })

  it('DS-21 a request for the password gets none: a driver would answer it', async () => {
    plan(frame('D', message('R', 8, Buffer.from([0, 0, 0, 3]))))
    const seen: Buffer[] = []
    const client = new pg.Client({ connectionString: await engine.stringOf(taken) })
    client.on('error', () => {})
    await client.connect()
    const { stream } = (
      client as unknown as { connection: { stream: { on(e: 'data', f: (b: Buffer) => void): void } } }
    ).connection
    stream.on('data', (bytes) => seen.push(bytes))
    expect(await codeOf(client.query(`select 'hostile'`))).toBe('58000')
    expect(Buffer.concat(seen).includes(message('R', 8, Buffer.from([0, 0, 0, 3])))).toBe(false)
  })
})

describe('an engine that was taken over and our own driver', () => {
  it.each([
    ['an error whose text has no end', message('E', 9, Buffer.from('SFATA'))],
    ['a notice whose text has no end', message('N', 9, Buffer.from('SFATA'))],
    ['a row with more values than bytes', message('D', 6, Buffer.from([0x40, 0]))],
    ['a row with a negative length', message('D', 10, Buffer.from([0, 1, 0xff, 0xff, 0xff, 0]))],
    ['columns without names', message('T', 8, Buffer.from([0, 9, 1, 1]))],
    ['a completion without an end', message('C', 7, Buffer.from('SEL'))],
    ['half a message', message('S', 900, Buffer.from('a'))],
  ])('DS-21 %s: the question fails at once, and the next one is answered', async (_what, bytes) => {
    plan(Buffer.concat([frame('D', bytes), frame('I', Buffer.alloc(0))]))
    await using own = await engine.connectOwn(taken)
    expect(await codeOf(own.query(`select 'hostile'`))).toBe('58000')
    await using next = await engine.connectOwn(taken)
    expect(await single(next, 'select 2')).toBe(2)
  })

  it('DS-21 a date of a hundred thousand digits costs nothing: it stays text', async () => {
    const digits = Buffer.alloc(100_000, '1')
    const name = Buffer.from('a\0')
    const column = Buffer.concat([
      Buffer.from([0, 1]),
      name,
      Buffer.alloc(6),
      Buffer.from([0, 0, 4, 0x5a]),
      Buffer.alloc(8),
    ])
    const length = Buffer.alloc(4)
    length.writeInt32BE(digits.length)
    const value = Buffer.concat([Buffer.from([0, 1]), length, digits])
    const answer = [
      message('T', column.length + 4, column),
      message('D', value.length + 4, value),
      message('C', 13, Buffer.from('SELECT 1\0')),
      message('Z', 5, Buffer.from('I')),
    ]
    const bytes = Buffer.concat(answer)
    const frames: Buffer[] = []
    for (let at = 0; at < bytes.length; at += 60_000) frames.push(frame('D', bytes.subarray(at, at + 60_000)))
    plan(Buffer.concat([...frames, frame('I', Buffer.alloc(0))]))
    await using own = await engine.connectOwn(taken)
    expect(await single(own, `select 'hostile'`)).toBe(digits.toString())
  })

  it('DS-21 a repeated statement description stays within a small limit', async () => {
    plan(Buffer.alloc(0), 0)
    const again = { name: 'again', text: `select 'hostile' is not null as told` }
    await using client = await engine.connect(taken)
    await client.query(again)
    await using second = await engine.connect(taken)
    expect(await single(second, 'select 1')).toBe(1)
    plan(frame('D', message('S', parameter.length + 4, parameter)), ENDLESS)
    expect(await codeOf(client.query(again))).toBe('54000')
  })
})

describe('links in a database’s folder', () => {
  it.each([
    ['a symbolic link', symlinkSync],
    ['a hard link', linkSync],
  ])('DS-21 %s to the secrets: that database does not open until it is removed, the others do', async (_kind, link) => {
    const secrets = join(engine.dataDir, 'secrets.json')
    writeFileSync(secrets, 'TOPSECRET')
    const planted = join(engine.folderOf(taken), 'base', 'planted')
    await using running = await engine.connect(taken)
    await single(running, 'select 1')
    link(secrets, planted)
    process.kill(engine.pidOf(taken)!, 'SIGKILL')
    await using caller = await engine.connect(taken)
    await codeOf(caller.query('select 1'))
    await using again = await engine.connect(taken)
    const refusal = again.query('select 1')
    await expect(refusal).rejects.toThrow('planted in its folder is a link or a special file')
    expect(String(await refusal.catch((error: unknown) => error))).not.toContain('TOPSECRET')
    await using neighbour = await engine.connect(other)
    expect(await single(neighbour, 'select 1')).toBe(1)
    rmSync(planted)
    await using opened = await engine.connect(taken)
    expect(await single(opened, 'select 1')).toBe(1)
    expect(readFileSync(secrets, 'utf8')).toBe('TOPSECRET')
  })
})

import { linkSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { assets } from '#lib/assets.ts'
import type { DatabaseRow } from '../../store.ts'
import { codeOf } from '../../test-databases.ts'
import { openTestEngine, single, type TestEngine } from './test-engine.ts'

/**
 * Plays an engine that was taken over. It behaves until it is asked something that holds the word `hostile`, and then
 * writes what the file of that name in its folder says, byte by byte, as often as it says.
 */
const place = mkdtempSync(join(tmpdir(), 'svc-hostile-'))
const script = join(place, 'hostile-engine.ts')
const real = readFileSync(assets.worker('engine-child'), 'utf8')
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

describe('what an engine sends that was taken over', () => {
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

  it('DS-21 messages without end stop at the answer limit of a question, which fails in words', async () => {
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

describe('links in a database’s folder', () => {
  it.each([
    ['a symbolic link', symlinkSync],
    ['a hard link', linkSync],
  ])('DS-21 %s to the secrets: that database does not open until it is removed, the others do', async (_kind, link) => {
    const secrets = join(engine.dataDir, 'secrets.json')
    writeFileSync(secrets, 'TOPSECRET')
    const planted = join(engine.folderOf(taken), 'base', 'planted')
    link(secrets, planted)
    process.kill(engine.pidOf(taken)!, 'SIGKILL')
    await using caller = await engine.connect(taken)
    await codeOf(caller.query('select 1'))
    await using again = await engine.connect(taken)
    const refusal = again.query('select 1')
    await expect(refusal).rejects.toThrow('planted is a link or a special file')
    expect(String(await refusal.catch((error: unknown) => error))).not.toContain('TOPSECRET')
    await using neighbour = await engine.connect(other)
    expect(await single(neighbour, 'select 1')).toBe(1)
    rmSync(planted)
    await using opened = await engine.connect(taken)
    expect(await single(opened, 'select 1')).toBe(1)
    expect(readFileSync(secrets, 'utf8')).toBe('TOPSECRET')
  })
})

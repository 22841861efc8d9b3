import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '#edge/ids.ts'
import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { needs } from '#test/stores.ts'
import { readNdjson } from './ingest-ndjson.ts'
import { answerOtlp } from './ingest-otlp.ts'
import { appendLines, countDropped, findLines, findLinesAfter, findStoredLines } from './store.ts'
import { tailEvents } from './tail.ts'
import { createLogWriter } from './writer.ts'

const ALL = { words: [], minLevel: undefined, deployId: undefined }
const LINE = { deployId: 'dep', source: 'app', level: 'info' } as const
const clock = testClock()
let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await openTestDatabase()
  db = database.db
})
afterAll(() => database?.[Symbol.asyncDispose]())

describe('MA-15 the log of an app', () => {
  it('keeps the lines of the app in their order', async () => {
    const app = await makeApp()
    const writer = createLogWriter({ db, clock, onError: fail })
    for (let n = 0; n < 2_500; n++) write(writer, app, `line ${n}`)
    await writer[Symbol.asyncDispose]()
    const texts = (await findLines(db, app, ALL, { limit: 5_000, before: undefined })).map(({ text }) => text)
    expect(texts.toReversed()).toEqual(Array.from({ length: 2_500 }, (_, n) => `line ${n}`))
  })

  it('keeps texts and deploys as they are, whatever is in them, and says when it has', async () => {
    const app = await makeApp()
    await using writer = createLogWriter({ db, clock, onError: fail })
    const texts = [
      '',
      'NULL',
      'null',
      '{}',
      ',',
      ' space ',
      '"',
      '\\',
      '\\"',
      "'; drop",
      'é\ta',
      '{"a": "b\\n"}',
      '{a,"b"}',
    ]
    for (const text of texts) writer.write({ ...LINE, appId: app, deployId: `of ${text}`, text })
    await writer.stored(app)
    const rows = await findLines(db, app, ALL, { limit: 100, before: undefined })
    expect(rows.toReversed().map(({ text, deploy_id }) => [text, deploy_id])).toEqual(
      texts.map((text) => [text, `of ${text}`]),
    )
    expect(rows[0]).toMatchObject({ at: clock.now(), level: 2, source: 'app', dropped: 0 })
  })

  it('counts and shows what was dropped under pressure', async () => {
    const app = await makeApp()
    const writer = createLogWriter({ db, clock, onError: fail })
    for (let n = 0; n < 10_007; n++) write(writer, app, 'x')
    await writer[Symbol.asyncDispose]()
    const [last] = await findLines(db, app, ALL, { limit: 1, before: undefined })
    expect(last?.text).toBe('7 lines were dropped here, because they came faster than they could be stored.')
    expect(await countDropped(db, app, ALL)).toBe(7)
  })

  it('OP-07 says which line of a deploy is the newest that is stored, however many others are behind it', async () => {
    const app = await makeApp()
    const deploy = { id: 'dep_1', app_id: app }
    expect(await findStoredLines(db, deploy)).toBeUndefined()
    const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds))
    const line = { at: at(1), level: 2, source: 'app', text: 'x', dropped: 0 } as const
    const missing = { ...line, source: 'system', deployId: null, at: at(2) } as const
    await db.tx((tx) => appendLines(tx, app, [{ ...missing, dropped: 4 }]))
    expect(await findStoredLines(db, deploy)).toEqual({
      at: new Date(0),
      count: 0,
      dropped: { count: 4, since: at(2) },
    })
    const own = { ...line, deployId: 'dep_1' }
    await db.tx((tx) =>
      appendLines(tx, app, [{ ...own, at: at(0) }, own, own, { ...line, deployId: 'dep_2', at: at(9) }]),
    )
    expect(await findStoredLines(db, deploy)).toEqual({ at: at(1), count: 2 })
    await db.query(sql`
      insert into apps.logs (app_id, deploy_id, at, level, source, text)
      select ${app}, 'dep_2', ${at(9)}, 2, 'build', 'x' from generate_series(1, 10001)`)
    expect(await findStoredLines(db, deploy)).toEqual({ at: at(1), count: 2 })
    const counted = [
      { ...missing, dropped: 3 },
      { ...missing, deployId: 'dep_1', at: at(3), dropped: 2 },
    ]
    await db.tx((tx) => appendLines(tx, app, counted))
    expect(await findStoredLines(db, deploy)).toEqual({ at: at(1), count: 2, dropped: { count: 5, since: at(2) } })
    const then = { ...own, at: at(4) }
    await db.tx((tx) => appendLines(tx, app, [{ ...then, source: 'system', dropped: 3 }, then]))
    expect(await findStoredLines(db, deploy)).toEqual({ at: at(4), count: 4 })
  })

  it('OP-07 says where lines were dropped, before those that came later', async () => {
    const app = await makeApp()
    let batches = 0
    const tx: Db['tx'] = (act) => {
      // The first batch is stored, so that there is room for a line again.
      if (++batches === 2) write(writer, app, 'later')
      return db.tx(act)
    }
    const writer = createLogWriter({ db: { ...db, tx }, clock, onError: fail })
    for (let n = 0; n < 10_007; n++) write(writer, app, 'x')
    await writer[Symbol.asyncDispose]()
    const found = await findLines(db, app, ALL, { limit: 2, before: undefined })
    expect(found.map(({ text, dropped }) => [text.slice(0, 7), dropped])).toEqual([
      ['later', 0],
      ['7 lines', 7],
    ])
  })

  it.each([
    [{ words: ['PAYMENT'] }, ['payment failed', 'payment ok']],
    [{ words: ['payment', 'fail'] }, ['payment failed']],
    [{ words: ['%'] }, ['100 % done']],
    [{ minLevel: 3 }, ['payment failed']],
    [{ deployId: 'dep_1' }, ['100 % done']],
    [{ since: new Date('2026-01-01T00:00:02.000Z') }, ['100 % done']],
    [{ until: new Date('2026-01-01T00:00:01.000Z') }, ['payment ok']],
  ])('is searched by %j', async (filter, texts) => {
    const app = await makeApp()
    const body = [
      '{"text":"payment ok","at":"2026-01-01T00:00:00.000Z"}',
      '{"text":"payment failed","level":"error","at":"2026-01-01T00:00:01.000Z"}',
      '{"text":"100 % done","at":"2026-01-01T00:00:02.000Z","deploy_id":"dep_1"}',
    ].join('\n')
    await readNdjson({ db, clock }, app, bytes(body))
    const found = await findLines(db, app, { ...ALL, ...filter }, { limit: 10, before: undefined })
    expect(found.map(({ text }) => text).sort()).toEqual(texts)
  })

  it('stores the valid lines of a body and names the others', async () => {
    const app = await makeApp()
    const body = `{"text":"first"}\n\nnot json\n{"text":1}\n{"text":"${'x'.repeat(1_100_000)}"}\n{"text":"last"}`
    expect(await readNdjson({ db, clock }, app, bytes(body))).toEqual({
      accepted: 2,
      rejected: 3,
      errors: [
        { line: 3, message: 'is not valid JSON' },
        { line: 4, message: 'must be an object with `text` and optionally `at`, `level` and `deploy_id`' },
        { line: 5, message: 'is longer than 1048576 bytes' },
      ],
    })
  })

  it('OP-10 refuses lines beyond the depth and keys that the JSON of any request may have', async () => {
    const app = await makeApp()
    const deep = `{"text":"a","at":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    const wide = `{${Array.from({ length: 20_001 }, (_, n) => `"k${n}":1`).join()}}`
    const unknown = '{"text":"b","other":1}'
    expect(await readNdjson({ db, clock }, app, bytes([deep, wide, unknown, '{"text":"last"}'].join('\n')))).toEqual({
      accepted: 1,
      rejected: 3,
      errors: [
        { line: 1, message: 'is nested too deeply or has too many keys' },
        { line: 2, message: 'is nested too deeply or has too many keys' },
        { line: 3, message: 'must be an object with `text` and optionally `at`, `level` and `deploy_id`' },
      ],
    })
  })

  it.each([1, 3, 7_919, 1e9])('reads a body that comes in pieces of %i bytes', async (size) => {
    const app = await makeApp()
    const body = Buffer.from('{"text":"é€"}\n\n \r\n{"text":"\u{1f600}"}\r\nno\n{"text":"last"}')
    const result = await readNdjson({ db, clock }, app, pieces(body, size))
    expect(result).toEqual({ accepted: 3, rejected: 1, errors: [{ line: 5, message: 'is not valid JSON' }] })
    expect((await textsOf(app)).toReversed()).toEqual(['é€', '\u{1f600}', 'last'])
  })

  it('stores a large body in the order of its lines', async () => {
    const app = await makeApp()
    const body = Array.from({ length: 12_000 }, (_, n) => `{"text":"line ${n}"}\n`).join('')
    expect(await readNdjson({ db, clock }, app, bytes(body))).toMatchObject({ accepted: 12_000, rejected: 0 })
    const rows = await db.query<{ text: string }>(sql`select text from apps.logs where app_id = ${app} order by id`)
    expect(rows.findIndex(({ text }, n) => text !== `line ${n}`)).toBe(-1)
    expect(rows).toHaveLength(12_000)
  })

  it('refuses a body whose lines cannot be stored, or that breaks off, and keeps what was stored', async () => {
    const app = await makeApp()
    const broken = { ...db, tx: () => Promise.reject(new Error('no room')) }
    const many = Buffer.from('{"text":"a"}\n'.repeat(11_000))
    await expect(readNdjson({ db: broken, clock }, app, pieces(many, 1e9))).rejects.toThrow('no room')
    async function* cutOff() {
      yield many
      throw new Error('cut off')
    }
    await expect(readNdjson({ db, clock }, app, cutOff())).rejects.toThrow('cut off')
    const [row] = await db.query<{ n: number }>(sql`select count(*)::int as n from apps.logs where app_id = ${app}`)
    expect(row).toEqual({ n: 10_000 })
  })

  it('takes OTLP in JSON', async () => {
    const app = await makeApp()
    const json = {
      resourceLogs: [
        {
          scopeLogs: [
            {
              logRecords: [
                {
                  timeUnixNano: '1735689600000000000',
                  severityNumber: 17,
                  body: { stringValue: 'order failed' },
                  attributes: [{ key: 'order', value: { intValue: '42' } }],
                },
              ],
            },
          ],
        },
      ],
    }
    const answer = await answerOtlp({ db, clock }, app, post(JSON.stringify(json), 'application/json'))
    expect([answer.status, await answer.text()]).toEqual([200, '{}'])
    const [line] = await findLines(db, app, ALL, { limit: 1, before: undefined })
    expect(line).toMatchObject({ text: 'order failed order=42', level: 4, at: new Date('2025-01-01T00:00:00.000Z') })
  })

  it('is followed from its last lines on, and resumes after the line it stopped at', async () => {
    const app = await makeApp()
    await readNdjson({ db, clock }, app, bytes('{"text":"a"}\n{"text":"b"}\n{"text":"c"}'))
    const ending = new AbortController()
    const tail = tailEvents(db, { appId: app, filter: ALL, lines: 2, after: undefined, signal: ending.signal })
    expect([await textOf(tail), await textOf(tail)]).toEqual(['b', 'c'])
    const next = textOf(tail)
    await readNdjson({ db, clock }, app, bytes('{"text":"d"}'))
    expect(await next).toBe('d')
    ending.abort()
    await tail.return(undefined)
    const [b] = (await findLines(db, app, { ...ALL, words: ['b'] }, { limit: 1, before: undefined })).map(
      ({ id }) => id,
    )
    const again = tailEvents(db, { appId: app, filter: ALL, lines: 2, after: b, signal: new AbortController().signal })
    expect([await textOf(again), await textOf(again)]).toEqual(['c', 'd'])
    await again.return(undefined)
  })
})

needs('postgres')('MA-15 several writers of one log', () => {
  it('never make a reader miss a line that goes on after the last one it saw', async () => {
    const app = await makeApp()
    const line = { deployId: null, at: clock.now(), level: 2, source: 'ingest', text: 'x', dropped: 0 } as const
    const lines = Array.from({ length: 25 }, () => line)
    const append = async () => {
      for (let n = 0; n < 40; n++) await db.tx((tx) => appendLines(tx, app, lines))
    }
    let isOver = false
    const writing = Promise.all([append(), append(), append()]).finally(() => {
      isOver = true
    })
    let [seen, last] = [0, 0]
    for (let isLastLook = false; !isLastLook; ) {
      isLastLook = isOver
      const rows = await findLinesAfter(db, app, ALL, { limit: 10_000, after: last })
      seen += rows.length
      last = rows.at(-1)?.id ?? last
    }
    await writing
    expect(seen).toBe(3_000)
  })
})

async function makeApp(): Promise<string> {
  const id = newId('app')
  await db.query(sql`
    insert into apps.apps (id, org_id, alias, name, host_label, health_path, state, created_by, created_at)
    values (${id}, 'org', ${id}, 'Shop', ${id}, '/', 'active', 'usr', ${clock.now()})`)
  return id
}

function write(writer: ReturnType<typeof createLogWriter>, appId: string, text: string): void {
  writer.write({ ...LINE, appId, text })
}

async function textsOf(app: string): Promise<string[]> {
  return (await findLines(db, app, ALL, { limit: 100, before: undefined })).map(({ text }) => text)
}

async function textOf(tail: ReturnType<typeof tailEvents>): Promise<string | undefined> {
  const { value } = await tail.next()
  return value && 'text' in value ? value.text : undefined
}

async function* pieces(body: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size)
}

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < text.length; at += 7_919) yield Buffer.from(text.slice(at, at + 7_919))
}

function post(body: string, type: string): Request {
  return new Request('http://test/', { method: 'POST', body, headers: { 'content-type': type } })
}

function fail(error: unknown): never {
  throw error
}

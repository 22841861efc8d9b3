import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { changeEnvironment } from '#contract/apps/environment.ts'
import { ingestLogs } from '#contract/apps/logs.ts'
import { createCheck } from '#contract/checks/checks.ts'
import { type ErrorCode, ServiceError } from '#contract/core/errors.ts'
import {
  listLiveFiles,
  listRecentFindings,
  readCheckHistory,
  readLogTemplates,
  readSourceFile,
  searchAppLogs,
  searchSource,
  stageEdit,
} from '#contract/maintenance/tools.ts'
import { newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { type LiveApp, makeLiveApp } from '#test/apps/live-app.ts'
import { type System, startSystem } from '#test/system.ts'
import { createRunTokens } from '../claims/token.ts'

type Person = Awaited<ReturnType<System['member']>>

const KEY_LINES = Array.from({ length: 20 }, () => randomBytes(30).toString('base64'))
const PEM = ['-----BEGIN RSA PRIVATE KEY-----', ...KEY_LINES, '-----END RSA PRIVATE KEY-----'].join('\n')
const SERVER = `import { load } from './load.js'\n\nexport function total(order) {\n  return order.items.length\n}\n`
const FILES = {
  'src/server.js': SERVER,
  'src/keys.js': `export const key = \`\n${PEM}\n\`\n`,
  'src/own.js': `greet('a violet submarine')\nsend('${Buffer.from('to a violet submarine').toString('base64')}')\n`,
  'src/mail.js': `export const to = 'ada@example.com'\nexport const size = 3\n`,
  'src/twice.js': `one('ada@example.com')\ntwo('ada@example.com')\n`,
  'package.json': '{"name": "shop"}\n',
  'logo.png': 'a\0b',
  'src/large.js': `${'// a line of a large file\n'.repeat(10_700)}last()\n`,
  'large.txt': 'x'.repeat(1024 * 1024 + 1),
  'long.txt': `${'long line '.repeat(2_000)}\nsecond`,
  'many.txt': Array.from({ length: 3_000 }, (_, n) => `line ${n + 1}`).join('\n'),
}

let system: System
let developer: Person
let app: LiveApp
let run: string
beforeAll(async () => {
  system = await startSystem()
  developer = await system.member('developer')
  app = await makeLiveApp(system, developer, { alias: 'shop', files: FILES })
  await system.client(developer.token).call(changeEnvironment, { alias: 'shop', set: { GREETING: OWN_VALUE } })
})
afterAll(() => system?.[Symbol.asyncDispose]())
beforeEach(async () => {
  await system.db.query(sql`update maintenance.runs set status = 'ended', terminal_code = 'internal', ended_at = now()
    where status <> 'ended'`)
  run = newId('exe')
  await system.db.query(sql`
    insert into maintenance.runs
      (id, org_id, app_id, mode, model, status, fence, lease_until, created_at, revision_id)
    values (${run}, ${developer.org_id}, ${app.id}, 'manual', 'acme/large', 'running', 7,
      now() + interval '1 hour', now(), ${app.revisionId})`)
})

/** Set as a variable of the app. No rule knows it. */
const OWN_VALUE = 'a violet submarine'

async function removeFindings(): Promise<void> {
  await system.db.query(sql`delete from maintenance.findings`)
}

const tools = () => system.client(createRunTokens(system.config.secrets.internalSecret).mint({ id: run, fence: 7 }))
const read = (path: string, range: { from_line?: number; to_line?: number } = {}) =>
  tools().call(readSourceFile, { path, ...range })
const stage = (path: string, before: string, after: string) =>
  tools().call(stageEdit, { path, old: before, new: after })

async function refusalOf(call: Promise<unknown>): Promise<{ code: ErrorCode; message: string } | undefined> {
  return call.then(
    () => undefined,
    (error: unknown) => {
      if (!(error instanceof ServiceError)) throw error
      return { code: error.code, message: error.message }
    },
  )
}

async function writeLog(...texts: string[]): Promise<void> {
  const body = texts.map((text) => `${JSON.stringify({ level: 'error', text })}\n`).join('')
  const upload = { contentType: 'application/x-ndjson' } as const
  await system.client(developer.token).upload(ingestLogs, { alias: 'shop' }, new Blob([body]).stream(), upload)
}

const evidence = () =>
  system.db.query<{ kind: string; reference: string }>(sql`
    select kind, reference from maintenance.evidence where run_id = ${run} order by n`)

describe('MA-05 a run reads source', () => {
  it('by lines of the revision it looks at, and the history shows which', async () => {
    const { files } = await tools().call(listLiveFiles, {})
    expect(files.map(({ path }) => path)).toEqual(Object.keys(FILES).toSorted())
    expect(await read('src/server.js', { from_line: 3, to_line: 4 })).toEqual({
      evidence_id: 2,
      path: 'src/server.js',
      from_line: 3,
      to_line: 4,
      total_lines: 6,
      text: 'export function total(order) {\n  return order.items.length',
      is_complete: true,
    })
    expect(await evidence()).toEqual([
      { kind: 'source', reference: `files of ${app.revisionId}` },
      { kind: 'source', reference: 'src/server.js, lines 3 to 4' },
    ])
  })

  it.each(['src/none.js', '../src/server.js', '/src/server.js', 'src//server.js', '__proto__', 'constructor'])(
    'and %s is no file of it',
    async (path) => {
      const message = 'The revision has no file of this path. Use a path exactly as the list of files has it.'
      expect(await refusalOf(read(path))).toEqual({ code: 'INVALID_REQUEST', message })
    },
  )

  it.each(['logo.png', 'large.txt'])('and %s is not shown', async (path) => {
    const message = 'This file is not shown, because it is binary or larger than 1 MiB.'
    expect(await refusalOf(read(path))).toEqual({ code: 'INVALID_REQUEST', message })
  })

  it('in parts that fit into an answer', async () => {
    expect(await read('many.txt')).toMatchObject({ from_line: 1, to_line: 900, total_lines: 3_000, is_complete: false })
    const { text, ...long } = await read('long.txt')
    expect([text.length, long]).toEqual([8_000, expect.objectContaining({ to_line: 1, is_complete: false })])
    expect(await refusalOf(read('many.txt', { from_line: 3_001 }))).toMatchObject({
      message: 'The file has 3000 lines.',
    })
  })

  it('and finds text in it, in any case', async () => {
    const { matches, is_complete } = await tools().call(searchSource, { literal: 'ORDER.ITEMS' })
    expect(matches).toEqual([{ path: 'src/server.js', line: 4, text: 'return order.items.length' }])
    expect(is_complete).toBe(true)
    expect(await tools().call(searchSource, { literal: 'line 1' })).toMatchObject({ is_complete: false })
  })
})

describe('MA-14 a secret never leaves', () => {
  it('a private key that is read in slices of 40 characters', async () => {
    const { total_lines } = await read('src/keys.js')
    const lines = Array.from({ length: total_lines }, (_, n) => ({ from_line: n + 1, to_line: n + 1 }))
    const slices: string[] = []
    for (const range of lines) slices.push((await read('src/keys.js', range)).text)
    expect(slices).toEqual(['export const key = `', ...Array(22).fill('[redacted]'), '`', ''])
  })

  it('a private key that is searched for in source and in logs', async () => {
    await writeLog('starting', ...PEM.split('\n'), 'started')
    const part = KEY_LINES[3]!.slice(0, 12)
    expect(await tools().call(searchSource, { literal: part })).toMatchObject({ matches: [] })
    expect(await tools().call(searchAppLogs, { literal: part })).toMatchObject({ lines: [] })
    const { lines } = await tools().call(searchAppLogs, { literal: 'redacted' })
    expect(new Set(lines.map(({ text }) => text))).toEqual(new Set(['[redacted]']))
    const { clusters } = await tools().call(readLogTemplates, {})
    const shown = JSON.stringify(clusters)
    expect(KEY_LINES.filter((line) => shown.includes(line))).toEqual([])
    expect(shown).toContain('started')
  })

  it('a secret that a run searches for is not written into its evidence', async () => {
    await tools().call(searchSource, { literal: 'password=letmein' })
    await tools().call(searchAppLogs, { literal: 'ada@example.com' })
    expect((await evidence()).map(({ reference }) => reference)).toEqual([
      'files with "password=[redacted]"',
      expect.stringMatching(/^lines with "\[redacted\]", \S+ to \S+$/),
    ])
  })
})

it("MA-24 a value of the app's variables never leaves: of source, logs, searches, findings and edits", async () => {
  await writeLog(`said ${OWN_VALUE}`, `sent ${encodeURIComponent(OWN_VALUE)}`)
  await system.db.query(sql`
    insert into maintenance.findings
      (app_id, fingerprint, kind, path, symbol, template, summary, first_run_id, first_seen_at, last_seen_at, count)
    values (${app.id}, 'own', 'defect', 'src/own.js', ${OWN_VALUE}, ${`said ${OWN_VALUE}`}, ${`greets ${OWN_VALUE}`}, ${run},
      now(), now(), 1)`)
  await using _ = { [Symbol.asyncDispose]: removeFindings }
  const answers = [
    await read('src/own.js'),
    await tools().call(searchSource, { literal: 'greet' }),
    await tools().call(searchAppLogs, { literal: 'said' }),
    await tools().call(searchAppLogs, { literal: 'sent' }),
    await tools().call(readLogTemplates, {}),
    await tools().call(listRecentFindings, {}),
  ]
  const shown = JSON.stringify(answers)
  expect(shown).toContain("greet('[redacted]')")
  expect(shown).toContain('said [redacted]')
  expect(shown).not.toMatch(/violet|dmlvbGV0|aW9sZX|pb2xld/)
  expect(await tools().call(searchSource, { literal: 'violet' })).toMatchObject({ matches: [] })
  expect(await refusalOf(stage('src/own.js', "greet('a vi", 'x'))).toMatchObject({
    message: expect.stringContaining('not in the file'),
  })
  expect(await refusalOf(stage('src/server.js', 'order.items', `'${OWN_VALUE}'`))).toMatchObject({
    message: expect.stringContaining('looks like a secret'),
  })
})

describe('MA-05 a run reads logs, checks and findings', () => {
  it('finds log lines with their template, the newest first, up to its limit', async () => {
    await writeLog('order 1 failed', 'order 2 failed', 'other')
    const { lines, is_complete } = await tools().call(searchAppLogs, { literal: 'Order', limit: 1 })
    expect(lines).toEqual([
      { at: expect.any(String), level: 'error', text: 'order 2 failed', template: 'order <n> failed', frames: [] },
    ])
    expect(is_complete).toBe(false)
  })

  it('reads the runs of a check, and refuses a name that no check has', async () => {
    const definition = { kind: 'http', target: 'https://shop.test/health' } as const
    const check = await system
      .client(developer.token)
      .call(createCheck, { alias: 'shop', name: 'health', definition, schedule: { every_minutes: 60 } })
    await system.db.query(sql`
      insert into checks.runs (id, check_id, org_id, app_id, trigger, state, created_at, ended_at, verdict, code, detail)
      values (${newId('ckr')}, ${check.id}, ${developer.org_id}, ${app.id}, 'manual', 'ended', now(), now(), 'fail',
        'status', 'answered 500 to ada@example.com')`)
    expect(await tools().call(readCheckHistory, { name: 'health' })).toMatchObject({
      name: 'health',
      // The schedule of the check can add a run of its own.
      runs: expect.arrayContaining([
        expect.objectContaining({ verdict: 'fail', code: 'status', detail: 'answered 500 to [redacted]' }),
      ]),
    })
    expect(await refusalOf(tools().call(readCheckHistory, { name: 'none' }))).toMatchObject({ code: 'INVALID_REQUEST' })
  })

  it('reads what earlier runs found', async () => {
    await system.db.query(sql`
      insert into maintenance.findings
        (app_id, fingerprint, kind, template, summary, first_run_id, first_seen_at, last_seen_at, count, denied_at)
      values (${app.id}, 'f1', 'error_in_logs', 'x', 'An error.', 'exe_1', now(), now(), 3, now())`)
    const { findings } = await tools().call(listRecentFindings, {})
    expect(findings).toMatchObject([{ kind: 'error_in_logs', summary: 'An error.', count: 3, was_denied: true }])
  })
})

describe('MA-10 a run stages edits', () => {
  it('that apply one after another', async () => {
    expect(await stage('src/server.js', 'order.items.length', 'order.items?.length ?? 0')).toEqual({
      staged: 1,
      files: ['src/server.js'],
    })
    expect(await stage('src/server.js', 'items?.length', 'items.size')).toEqual({ staged: 2, files: ['src/server.js'] })
    const edits = await system.db.query(
      sql`select path, old_text from maintenance.edits where run_id = ${run} order by n`,
    )
    expect(edits).toEqual([
      { path: 'src/server.js', old_text: 'order.items.length' },
      { path: 'src/server.js', old_text: 'items?.length' },
    ])
  })

  it('MA-16 that add a test file, and change it', async () => {
    await stage('test/server.test.js', '', 'assert(order({}) === 1)\n')
    expect(await stage('test/server.test.js', '=== 1', '=== 0')).toEqual({ staged: 2, files: ['test/server.test.js'] })
  })

  it.each<[string, [string, string, string], string]>([
    ['that add a file that is no test', ['src/new.js', '', 'x'], 'Only test files can be added'],
    ['that add a file outside of the app', ['../test/new.js', '', 'x'], 'only ASCII letters'],
    ['that add a file that is there', ['src/server.js', '', 'x'], 'The file exists'],
    ['that add an empty file', ['test/new.js', '', ''], 'must not be empty'],
    ['that add a program of the tests', ['test/setup.sh', '', 'x'], 'a program of the build or of the tests'],
    ['that add a file with a secret', ['test/new.js', '', `'eva@example.com'`], 'looks like a secret'],
    ['that add a file with hidden characters', ['test/new.js', '', 'a\u202eb'], 'does not see'],
    ['that add a file with long lines', ['test/new.js', '', 'x'.repeat(501)], 'at most 500 are shown'],
    ['that add a file that is too large', ['test/new.js', '', 'x\n'.repeat(300)], 'at most 200 changed lines'],
    ['of no file', ['src/none.js', 'a', 'b'], 'no file of this path'],
    ['of a protected file', ['package.json', 'shop', 'store'], 'a manifest of dependencies or of the toolchain'],
    ['of a text that is not there', ['src/server.js', 'orders', 'b'], 'not in the file'],
    ['of a text that is there twice', ['src/server.js', 'order', 'b'], 'more than once'],
    ['that change nothing', ['src/server.js', 'order.items', 'order.items'], 'changes nothing'],
    ['of a secret', ['src/mail.js', `= 'ada@`, `= 'eva@`], 'not in the file'],
    ['of a letter of a secret', ['src/mail.js', 'ada@ex', 'b'], 'not in the file'],
    ['of a letter of a secret that is there twice', ['src/twice.js', `('ada@ex`, 'b'], 'not in the file'],
    ['with a new secret', ['src/server.js', 'order.items', `'eva@example.com'`], 'looks like a secret'],
    ['with hidden characters', ['src/server.js', 'order.items', 'order.\u202eitems'], 'does not see'],
    ['with a lone carriage return', ['src/server.js', 'order.items', '// a\rorder.items'], '‹U+000D›'],
    ['with long blanks', ['src/server.js', 'order.items', `order.items${' '.repeat(100)}`], '‹U+0020×100›'],
    ['with a Hangul filler', ['src/server.js', 'order.items', 'order.\u3164'], '‹U+3164›'],
    ['with a half-width filler', ['src/server.js', 'order.items', 'order.\uffa0'], '‹U+FFA0›'],
    ['with a variation selector', ['src/server.js', 'order.items', 'order.\ufe0f'], '‹U+FE0F›'],
    ['with a selector of the supplement', ['src/server.js', 'order.items', 'order.\u{e0101}'], '‹U+E0101›'],
    ['with a grapheme joiner', ['src/server.js', 'order.items', 'order.\u034f'], '‹U+034F›'],
    ['with a Khmer vowel without a shape', ['src/server.js', 'order.items', 'order.\u17b4'], '‹U+17B4›'],
    ['with a Mongolian selector', ['src/server.js', 'order.items', 'order.\u180b'], '‹U+180B›'],
    ['with a line separator', ['src/server.js', 'order.items', '// \u2028order.items'], '‹U+2028›'],
    ['of a file that a diff does not show', ['src/large.js', 'last()', 'evil()'], 'larger than 256 KiB'],
    ['that are too large', ['src/server.js', 'order.items', 'x\n'.repeat(300)], 'at most 200 changed lines'],
  ])('but none %s', async (_, [path, before, after], reason) => {
    expect(await refusalOf(stage(path, before, after))).toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining(reason),
    })
    expect(await system.db.query(sql`select from maintenance.edits where run_id = ${run}`)).toEqual([])
  })
})

it('MA-06 a run that was ended is refused by every tool, and writes nothing', async () => {
  await system.db.query(sql`
    update maintenance.runs set status = 'ended', terminal_code = 'fenced_app_disabled', ended_at = now()
    where id = ${run}`)
  const calls = [
    read('src/server.js'),
    stage('src/server.js', 'order.items', 'x'),
    tools().call(searchSource, { literal: 'order' }),
    tools().call(searchAppLogs, { literal: 'order' }),
    tools().call(listRecentFindings, {}),
    tools().call(readCheckHistory, { name: 'health' }),
  ]
  expect((await Promise.all(calls.map(refusalOf))).map((refusal) => refusal?.code)).toEqual(
    Array(6).fill('INVALID_TOKEN'),
  )
  expect(await evidence()).toEqual([])
})

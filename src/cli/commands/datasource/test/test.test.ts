import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runSvc } from '#test/programs/cli-run.ts'

/** An instance whose answers are known: each question gets the ids of `HITS`. */
const HITS: Record<string, string[]> = {
  first: ['a', 'b', 'c', 'd'],
  third: ['x', 'y', '7', 'a'],
  tenth: ['1', '2', '3', '4', '5', '6', '7', '8', '9', 'a'],
  never: ['x', 'y'],
}
const QUESTIONS = `
- question: first
  expect: [z, a]
- question: third
  expect: 7
  filters: {year: 2024}
- question: tenth
  expect: a
  target: articles
- question: never
  expect: a
`

type Body = { query: string }
let server: Server
let env: Record<string, string>
let received: Body[] = []
let refusals = 0

beforeAll(async () => {
  server = createServer((request, response) => {
    void (json(request) as Promise<Body>).then((body) => {
      const limited = refusals > 0
      if (limited) refusals--
      else received.push(body)
      const results = (HITS[body.query] ?? []).map((id) => ({ id, title: null, metadata: {} }))
      response.writeHead(limited ? 429 : 200, { 'content-type': 'application/json', 'retry-after': '1' })
      response.end(JSON.stringify(limited ? { code: 'RATE_LIMITED' } : { count: results.length, results }))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  env = { SVC_API_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, SVC_API_KEY: 'svc_key' }
})
afterAll(() => server.close())
beforeEach(() => {
  received = []
})

const test = (stdin: string, ...flags: string[]) =>
  runSvc(['datasource', 'test', 'db_handbook', '-', ...flags], { env, stdin })

describe('DS-22 svc datasource test', () => {
  it('prints the hit rate at 1, 3 and 10 and the questions that missed', async () => {
    expect(await test(QUESTIONS)).toEqual({
      exit: 0,
      stderr: '',
      stdout: `Hit rate at 1    25.0 %  (1 of 4)
Hit rate at 3    50.0 %  (2 of 4)
Hit rate at 10   75.0 %  (3 of 4)

Missed: never
  expected a
  found    x, y
`,
    })
    expect(received).toEqual([
      { query: 'first', filters: {}, top_k: 10 },
      { query: 'third', filters: { year: 2024 }, top_k: 10 },
      { query: 'tenth', filters: {}, top_k: 10, target: 'articles' },
      { query: 'never', filters: {}, top_k: 10 },
    ])
  })

  it.each([
    [['--min', '75'], 0],
    [['--min', '76'], 1],
    [['--min', '50', '--at', '3'], 0],
    [['--min', '26', '--at', '1'], 1],
  ])('%j exits with %i', async (flags, exit) => {
    const done = await test(QUESTIONS, ...flags)
    expect(done.exit).toBe(exit)
    expect(done.stderr).toBe(exit === 0 ? '' : `The hit rate at ${flags[3] ?? 10} is below ${flags[1]} %.\n`)
  })

  it('--json prints the rates, what was required, and the rank of each question', async () => {
    const { stdout } = await test(QUESTIONS, '--json', '--min', '90')
    expect(JSON.parse(stdout)).toMatchObject({
      source_id: 'db_handbook',
      questions: 4,
      hit_rate: { at_1: 0.25, at_3: 0.5, at_10: 0.75 },
      required: { at: 10, min: 90 },
      passed: false,
      missed: [{ question: 'never', expect: ['a'], found: ['x', 'y'] }],
      results: [{ rank: 1 }, { rank: 3 }, { rank: 10 }, { rank: null }],
    })
  })

  it('waits as long as the instance says and then asks the same question again', async () => {
    refusals = 1
    expect(await test('[{question: first, expect: a}]')).toMatchObject({ exit: 0, stderr: '' })
    expect(received.map(({ query }) => query)).toEqual(['first'])
  })

  it('lists every fault of the file and asks nothing', async () => {
    const { exit, stderr } = await test('[{question: "", expect: a}, {question: x, expects: a}, 7]')
    expect(exit).toBe(5)
    expect(stderr.split('\n').slice(0, 5)).toEqual([
      'svc: Standard input has questions that cannot be asked.',
      '  question 1: question must be a text of 1 to 8000 characters',
      '  question 2: expect must be an id, or a list of ids',
      '  question 2: has an unknown key: expects. Keys: question, expect, filters, target',
      '  question 3: must have question and expect',
    ])
    expect(received).toEqual([])
  })

  it.each([
    ['a: [', 'is not valid YAML: '],
    ['[]', 'must be a list of questions'],
    ['question: x', 'must be a list of questions'],
  ])('%j is refused in words', async (text, words) => {
    const { exit, stderr } = await test(text)
    expect(exit).toBe(5)
    expect(stderr).toContain(words)
  })

  it('a file that does not exist is a fault of this machine', async () => {
    const done = await runSvc(['datasource', 'test', 'db_handbook', '/nonexistent.yaml'], { env })
    expect(done).toMatchObject({ exit: 1, stdout: '' })
    expect(done.stderr).toContain('Cannot read /nonexistent.yaml')
  })
})

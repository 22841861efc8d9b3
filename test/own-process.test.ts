import { expect, it } from 'vitest'
import {
  changesOrMeasuresItsProcess,
  findTestsOfTheirOwnProcess,
  findTestsThatReplaceTimers,
  replacesOnlyTimers,
} from '#test/suite/own-process.ts'

it.each([
  "vi.stubEnv('HTTP_PROXY', url)",
  "vi.spyOn(globalThis, 'setTimeout')",
  "process.env.SVC_SECRET = 'x'",
  "process.env['SVC_SECRET'] = 'x'",
  'delete process.env.SVC_SECRET',
  "process.on('SIGTERM', stop)",
  'const before = process.memoryUsage().rss',
  'const before = process.cpuUsage()',
  'globalThis.fetch = fake',
])('planted: a test with %j gets a process of its own', (text) => {
  expect(changesOrMeasuresItsProcess(text)).toBe(true)
})

it.each(["vi.useFakeTimers({ toFake: ['setTimeout'] })", 'vi.setSystemTime(0)'])(
  'planted: a test with %j shares its process with others that replace timers',
  (text) => {
    expect(replacesOnlyTimers(text)).toBe(true)
    expect(replacesOnlyTimers(`${text}\nprocess.cpuUsage()`)).toBe(false)
  },
)

it.each([
  'env: { ...process.env, SVC_DATA_DIR: folder }',
  "process.env.SVC_MODE === 'x'",
  'process.kill(pid)',
  'await globalThis.fetch(url)',
])('a test with %j shares its process', (text) => {
  expect([changesOrMeasuresItsProcess(text), replacesOnlyTimers(text)]).toEqual([false, false])
})

it('the files are found by their text', () => {
  expect(findTestsOfTheirOwnProcess()).toContain('src/lib/net/safe-fetch.test.ts')
  expect(findTestsThatReplaceTimers()).toContain('src/lib/work/loop.test.ts')
  for (const found of [findTestsOfTheirOwnProcess(), findTestsThatReplaceTimers()])
    expect(found).not.toContain('src/lib/db/db.test.ts')
})

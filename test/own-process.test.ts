import { expect, it } from 'vitest'
import { changesOrMeasuresItsProcess, findTestsOfTheirOwnProcess } from '#test/suite/own-process.ts'

it.each([
  "vi.useFakeTimers({ toFake: ['setTimeout'] })",
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

it.each([
  'env: { ...process.env, SVC_DATA_DIR: folder }',
  "process.env.SVC_MODE === 'x'",
  'process.kill(pid)',
  'await globalThis.fetch(url)',
])('a test with %j shares its process', (text) => {
  expect(changesOrMeasuresItsProcess(text)).toBe(false)
})

it('the files are found by their text', () => {
  expect(findTestsOfTheirOwnProcess()).toContain('src/lib/work/loop.test.ts')
  expect(findTestsOfTheirOwnProcess()).not.toContain('src/lib/db/db.test.ts')
})

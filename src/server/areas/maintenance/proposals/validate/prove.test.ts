import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRedactor } from '#lib/redact/redact.ts'
import type { AppTrial, TryAppRevision } from '#ports/app-trials.ts'
import { openTestTarget, sourceOf, type TestTarget } from '#test/apps/app-target.ts'
import { needs } from '#test/stores.ts'
import { buildChange, type ChangeTrials } from './build-change.ts'

const FILES = {
  'cart.mjs': 'export const total = (cart) => cart.items.length\n',
  'old.test.mjs': "import { total } from './cart.mjs'\nif (total({ items: [1] }) !== 1) throw new Error('old')\n",
}
const FIX = 'export const total = (cart) => cart.items?.length ?? 0\n'
const TEST = 'cart.test.mjs'
/** Fails with what the function returned or threw. */
const testThat = (condition: string) => `import * as cart from './cart.mjs'
console.log('password=hunter2-not-to-be-seen')
if (!(${condition})) throw new Error('wrong total')
console.log('right total')
`
const SHOWS_FAULT = testThat('cart.total({}) === 0')

needs('bubblewrap')('MA-16 a test of a change, run in the sandbox', () => {
  let target: TestTarget
  beforeAll(() => {
    target = openTestTarget()
  })
  afterAll(async () => {
    expect(readdirSync(join(target.dataDir, 'trials'))).toEqual([])
    await target[Symbol.asyncDispose]()
  })

  const trials: ChangeTrials = {
    withTests: true,
    tryRevision: ({ orgId, appId, texts, testRuns, signal }) =>
      target.target.runTrial({
        orgId,
        appId,
        files: sourceOf({ ...FILES, ...Object.fromEntries(texts) }),
        buildCommand: null,
        testCommand: 'for test in *.test.mjs; do node $test || exit 1; done',
        testRuns,
        signal,
      }),
  }

  const built = (texts: Record<string, string>) =>
    buildChange(
      { trials, redactorOf: async () => createRedactor({}) },
      {
        orgId: 'org_1',
        appId: 'app_1',
        revisionId: 'rev_1',
        texts: new Map(Object.entries(texts)),
        test: TEST,
        signal: new AbortController().signal,
      },
    )

  it('that fails without the change and passes with it proves the change', async () => {
    const { proof, ...verdict } = await built({ 'cart.mjs': FIX, [TEST]: SHOWS_FAULT })
    expect(verdict).toMatchObject({ type: 'valid', passed: 'tested' })
    expect(proof).toEqual({
      outcome: 'proven',
      reason: null,
      test: TEST,
      before: {
        runs: ['failed', 'failed', 'failed'],
        output: expect.stringMatching(/^password=\[redacted\]\n[\s\S]*TypeError: Cannot read properties of undefined/),
      },
      after: { runs: ['passed', 'passed', 'passed'], output: 'password=[redacted]\nright total' },
    })
  })

  it('that passes without the change proves nothing', async () => {
    const { proof, ...verdict } = await built({ 'cart.mjs': FIX, [TEST]: testThat('cart.total({ items: [] }) === 0') })
    expect(verdict).toMatchObject({ type: 'valid', passed: 'tested' })
    expect(proof).toMatchObject({ outcome: 'passes_before', before: { runs: ['passed', 'passed', 'passed'] } })
  })

  it('that fails with the change makes it invalid, as a failed build does', async () => {
    const { proof, ...verdict } = await built({ 'cart.mjs': FIX, [TEST]: testThat('cart.total({}) === 1') })
    expect(verdict).toMatchObject({
      type: 'invalid',
      reason: expect.stringMatching(/^The tests of the app do not pass with this change: exit code 1\./),
    })
    expect(proof).toMatchObject({
      outcome: 'fails_after',
      before: { runs: [] },
      after: { runs: ['failed', 'failed', 'failed'], output: expect.stringContaining('Error: wrong total') },
    })
  })
})

it('MA-16 a test is not run where the operator allows no tests, and the change stays what it was', async () => {
  const change = { orgId: 'o', appId: 'a', revisionId: 'r', texts: new Map(), signal: new AbortController().signal }
  const deps = { trials: { off: 'the operator has not allowed it' }, redactorOf: async () => createRedactor({}) }
  const notes = ['The app was not built: the operator has not allowed it.']
  expect(await buildChange(deps, { ...change, test: null })).toEqual({
    type: 'valid',
    passed: null,
    notes,
    proof: null,
  })
  expect(await buildChange(deps, { ...change, test: TEST })).toMatchObject({
    passed: null,
    notes,
    proof: { outcome: 'not_run', reason: 'the operator has not allowed it', before: { runs: [] }, after: { runs: [] } },
  })
})

const RED = { result: 'failed', reason: 'exit code 1', output: 'AssertionError' } as const
const GREEN = { result: 'passed', reason: 'exit code 0', output: '' } as const
const passes: AppTrial = { build: { type: 'passed' }, test: { type: 'passed' }, testRuns: [GREEN, GREEN, GREEN] }
const failed = { type: 'failed', needsNetwork: false, reason: 'exit code 1', output: '' } as const
const fails: AppTrial = { build: { type: 'passed' }, test: failed, testRuns: [RED, RED, RED] }
const unbuilt: AppTrial = { build: failed, test: { type: 'not_run', reason: 'the app was not built' } }
const stopped = { type: 'not_run', reason: 'it was stopped' } as const
const unknown: AppTrial = { build: { type: 'passed' }, test: stopped }
const UNKNOWN = 'the tests of the live revision do not pass without it either, so it is not known what fails'

type Tried = { readonly change: AppTrial; readonly red: AppTrial; readonly base: AppTrial }

it.each<[title: string, tried: Tried, withTests: boolean, proof: unknown]>([
  ['proves a change if nothing else fails', { change: passes, red: fails, base: passes }, true, { outcome: 'proven' }],
  [
    'proves nothing if the tests fail without it too',
    { change: passes, red: fails, base: fails },
    true,
    { outcome: 'not_run', reason: UNKNOWN },
  ],
  [
    'proves nothing if the tests give no result without it',
    { change: passes, red: fails, base: unknown },
    true,
    { outcome: 'not_run', reason: 'without it, it was stopped' },
  ],
  [
    'proves nothing if the live revision does not build with it',
    { change: passes, red: unbuilt, base: passes },
    true,
    { outcome: 'not_run', reason: 'on the live revision, the app does not build (exit code 1)' },
  ],
  [
    'proves nothing if the change does not build',
    { change: unbuilt, red: fails, base: passes },
    true,
    { outcome: 'not_run', reason: 'the app does not build (exit code 1)' },
  ],
  [
    'proves nothing if the app has no tests',
    { change: { build: { type: 'passed' }, test: { type: 'absent' } }, red: fails, base: passes },
    true,
    { outcome: 'not_run', reason: 'package.json has no script "test"' },
  ],
  [
    'is not run where the operator allows builds only',
    { change: { build: { type: 'passed' } }, red: fails, base: passes },
    false,
    { outcome: 'not_run', reason: 'this installation only builds (SVC_MAINTENANCE_BUILD)' },
  ],
])('MA-16 a test %s', async (_, { change, red, base }, withTests, proof) => {
  const tryRevision: TryAppRevision = async ({ texts }) =>
    texts.has('cart.mjs') ? change : texts.has(TEST) ? red : base
  const deps = { trials: { withTests, tryRevision }, redactorOf: async () => createRedactor({}) }
  const texts = new Map([
    ['cart.mjs', FIX],
    [TEST, SHOWS_FAULT],
  ])
  const revision = { orgId: 'o', appId: 'a', revisionId: 'r', signal: new AbortController().signal }
  expect((await buildChange(deps, { ...revision, texts, test: TEST })).proof).toMatchObject(proof as object)
})

it('MA-16 a test whose result differs from run to run is flaky, and the tests count for nothing', async () => {
  const flaky: AppTrial = { build: { type: 'passed' }, test: { type: 'flaky' }, testRuns: [GREEN, RED] }
  const deps = {
    trials: { withTests: true, tryRevision: async () => flaky },
    redactorOf: async () => createRedactor({}),
  }
  const revision = { orgId: 'o', appId: 'a', revisionId: 'r', signal: new AbortController().signal }
  const { proof, ...verdict } = await buildChange(deps, { ...revision, texts: new Map([[TEST, '']]), test: TEST })
  expect(verdict).toEqual({
    type: 'valid',
    passed: 'built',
    notes: ['The tests say nothing about the change, because they do not give the same result each time.'],
  })
  expect(proof).toMatchObject({ outcome: 'flaky', before: { runs: [] }, after: { runs: ['passed', 'failed'] } })
})

const HELPER = 'test/helper.mjs'

it.each<[title: string, helper: AppTrial, test: string, proof: unknown]>([
  ['proves a change if the other test files pass without it', passes, TEST, { outcome: 'proven' }],
  ['proves nothing if another test file is what fails', fails, TEST, { outcome: 'not_run', reason: UNKNOWN }],
  [
    'proves nothing if its path is not that of a test',
    passes,
    'app/api/test/route.ts',
    { outcome: 'not_run', reason: 'its path is not that of a test file' },
  ],
])('MA-16 a test among several %s', async (_, helper, test, proof) => {
  const tryRevision: TryAppRevision = async ({ texts }) => {
    if (texts.has('cart.mjs')) return passes
    return texts.has(test) ? fails : texts.has(HELPER) ? helper : passes
  }
  const texts = new Map([
    ['cart.mjs', FIX],
    [test, SHOWS_FAULT],
    [HELPER, 'throw new Error()\n'],
  ])
  const deps = { trials: { withTests: true, tryRevision }, redactorOf: async () => createRedactor({}) }
  const revision = { orgId: 'o', appId: 'a', revisionId: 'r', signal: new AbortController().signal }
  expect((await buildChange(deps, { ...revision, texts, test })).proof).toMatchObject(proof as object)
})

it('MA-16 all trials of one change share fifteen minutes, and another change has its own', async () => {
  const leftMinutes: number[] = []
  const tryRevision: TryAppRevision = async ({ texts, time }) => {
    leftMinutes.push(time.leftMs() / 60_000)
    time.spend(360_000)
    return texts.has('cart.mjs') ? passes : texts.has(TEST) ? fails : passes
  }
  const texts = new Map([
    ['cart.mjs', FIX],
    [TEST, SHOWS_FAULT],
  ])
  const deps = { trials: { withTests: true, tryRevision }, redactorOf: async () => createRedactor({}) }
  const revision = { orgId: 'o', appId: 'a', revisionId: 'r', signal: new AbortController().signal }
  await buildChange(deps, { ...revision, texts, test: TEST })
  await buildChange(deps, { ...revision, texts, test: null })
  expect(leftMinutes).toEqual([15, 9, 3, 15])
})

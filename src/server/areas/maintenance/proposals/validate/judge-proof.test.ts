import { expect, it } from 'vitest'
import type { TestRun } from '#ports/app-trials.ts'
import { judgeProof } from './judge-proof.ts'

const passed: TestRun = { result: 'passed', reason: 'exit code 0', output: 'ok' }
const failed: TestRun = { result: 'failed', reason: 'exit code 1', output: 'AssertionError: 1 !== 2' }
const hung: TestRun = { result: 'ended', reason: 'killed: it took more than 300 seconds', output: '' }
const unloaded: TestRun = { result: 'failed', reason: 'exit code 1', output: 'Error: Cannot find module ./tax.mjs' }

const PASSES = [passed, passed, passed]
const FAILS = [failed, failed, failed]

type Row = [title: string, before: readonly TestRun[] | undefined, after: readonly TestRun[], verdict: unknown]

it.each<Row>([
  ['fails before and passes after is proven', FAILS, PASSES, { outcome: 'proven' }],
  ['passes before and after shows nothing', PASSES, PASSES, { outcome: 'passes_before' }],
  ['fails before and after', FAILS, FAILS, { outcome: 'fails_after' }],
  ['passes before and fails after', PASSES, FAILS, { outcome: 'fails_after' }],
  ['that passes after waits for the runs before', undefined, PASSES, undefined],
  ['that fails after needs no runs before', undefined, FAILS, { outcome: 'fails_after' }],
  ['that fails and then passes before is flaky', [failed, passed], PASSES, { outcome: 'flaky' }],
  ['that passes twice and then fails before is flaky', [passed, passed, failed], PASSES, { outcome: 'flaky' }],
  ['that passes and then fails after is flaky', undefined, [passed, failed], { outcome: 'flaky' }],
  ['that fails twice and then passes after is flaky', FAILS, [failed, failed, passed], { outcome: 'flaky' }],
  ['that is flaky on both sides is flaky', [passed, failed], [failed, passed], { outcome: 'flaky' }],
  [
    'that hangs after gives no result',
    undefined,
    [hung],
    {
      outcome: 'not_run',
      reason: 'with the change, the tests gave no result: killed: it took more than 300 seconds',
    },
  ],
  [
    'that hangs before gives no result, because a limit is no verdict',
    [hung],
    PASSES,
    {
      outcome: 'not_run',
      reason: 'on the live revision, the tests gave no result: killed: it took more than 300 seconds',
    },
  ],
  [
    'that hangs in a later run gives no result',
    [failed, hung],
    PASSES,
    {
      outcome: 'not_run',
      reason: 'on the live revision, the tests gave no result: killed: it took more than 300 seconds',
    },
  ],
  ['whose results differ before one hangs is flaky', [failed, passed, hung], PASSES, { outcome: 'flaky' }],
  [
    'that could not be repeated often enough is not proven',
    FAILS,
    [passed, passed],
    { outcome: 'not_run', reason: 'with the change, the tests could not be run 3 times' },
  ],
  [
    'that did not begin is not proven',
    [],
    PASSES,
    { outcome: 'not_run', reason: 'on the live revision, the tests could not be run 3 times' },
  ],
  [
    'that cannot be loaded before is not proven',
    [unloaded, unloaded, unloaded],
    PASSES,
    {
      outcome: 'not_run',
      reason:
        'on the live revision it fails because it uses a file or a name that is missing there (Cannot find module)',
    },
  ],
])('MA-16 a test %s', (_, before, after, verdict) => {
  expect(judgeProof(before, after)).toEqual(verdict)
})

it.each([
  "SyntaxError: The requested module './cart.mjs' does not provide an export named 'tax'",
  'code: "ERR_MODULE_NOT_FOUND"',
  "cart.test.ts(1,10): error TS2305: Module './cart' has no exported member 'tax'.",
  "ModuleNotFoundError: No module named 'tax'",
  "ImportError: cannot import name 'tax' from 'cart'",
  'Error: Failed to load url ./tax.mjs',
  'FAIL example.com/cart [build failed]',
  'TypeError: cart.tax is not a function',
  'TypeError: cart.Tax is not a constructor',
  'ReferenceError: tax is not defined',
  "AttributeError: module 'cart' has no attribute 'tax'",
  "NameError: name 'tax' is not defined",
  "TypeError: total() got an unexpected keyword argument 'tax'",
  "NoMethodError: undefined method 'tax' for an instance of Cart",
  'NameError: uninitialized constant Cart::Tax',
  'Error: Call to undefined method Cart::tax()',
  'CartTest.java:3: error: cannot find symbol',
  "e: CartTest.kt:3:7 Unresolved reference 'tax'.",
  './cart_test.go:3:2: undefined: Tax',
])('MA-16 a test that fails before with %j is not proven', (output) => {
  const run: TestRun = { ...failed, output }
  expect(judgeProof([run, run, run], PASSES)).toMatchObject({ outcome: 'not_run' })
})

it.each([
  "TypeError: Cannot read properties of undefined (reading 'length')",
  'AssertionError [ERR_ASSERTION]: undefined !== 0',
  "KeyError: 'items'",
  'panic: runtime error: invalid memory address or nil pointer dereference',
])('MA-16 a test that fails before with %j proves the change', (output) => {
  const run: TestRun = { ...failed, output }
  expect(judgeProof([run, run, run], PASSES)).toEqual({ outcome: 'proven' })
})

import { expect, it } from 'vitest'
import { type EndedCommand, joinSteps, repeatTests, toTestRun } from './repeat-tests.ts'

const ended = (code: number): EndedCommand => ({
  end: { code, description: `exit code ${code}`, by: 'itself', isLate: false, triedNetwork: false },
  output: '',
  needsNetwork: false,
})

it.each([
  ['two runs differ', [0, 0, 1, 0], ['passed', 'passed', 'failed'], { type: 'flaky' }],
  [
    'they have run often enough',
    [0, 0, 0, 0, 0, 0],
    ['passed', 'passed', 'passed', 'passed', 'passed'],
    { type: 'passed' },
  ],
])('MA-16 tests are repeated until %s', async (_, codes, results, step) => {
  const left = [...codes]
  const runs = await repeatTests(async () => ended(left.shift()!), { count: 5, totalMs: 60_000 })
  expect(runs.map((run) => toTestRun(run).result)).toEqual(results)
  expect(joinSteps(runs)).toEqual(step)
})

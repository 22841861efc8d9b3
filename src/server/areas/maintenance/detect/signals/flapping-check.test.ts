import { describe, expect, it } from 'vitest'
import { evidenceOf, minutesAgo } from '#test/signals/evidence.ts'
import { flappingChecks } from './flapping-check.ts'

/** Runs of a check, oldest first: `p` passed, `f` failed, `e` could not run. The last was `step` minutes ago. */
const runsOf = (verdicts: string, step = 5, state = 'pass') => ({
  name: 'home page',
  state,
  runs: verdicts
    .split('')
    .map((letter, index) => ({
      at: minutesAgo((verdicts.length - index) * step),
      verdict: letter === 'p' ? 'pass' : letter === 'f' ? 'fail' : 'error',
      detail: letter === 'f' ? 'answered 502' : null,
    }))
    .toReversed(),
})

describe('MA-30 a check that flaps', () => {
  it('is found with its newest failures', async () => {
    const checks = [runsOf('ppfppfffppfpp')]
    expect(flappingChecks(await evidenceOf({ checks }))).toEqual([
      {
        kind: 'flapping_check',
        template: 'check home page',
        summary: 'The check home page failed and passed again 3 times in its last 13 runs.',
        lines: [
          { at: new Date('2026-11-15T11:45:00Z'), text: 'answered 502' },
          { at: new Date('2026-11-15T11:20:00Z'), text: 'answered 502' },
          { at: new Date('2026-11-15T11:05:00Z'), text: 'answered 502' },
        ],
        covers: [],
      },
    ])
  })

  it.each([
    ['one long failure', runsOf('ppppffffffffpppp'), 0],
    ['two failures', runsOf('ppfppppfpp'), 0],
    ['a check that fails now, which is another finding', runsOf('pfpfpff', 5, 'fail'), 0],
    ['runs that could not be made', runsOf('pepepepep'), 0],
    ['a failure in each of three days', runsOf('pfppfppfp', 480), 1],
    ['three failures in 480 runs of a day', runsOf(`${'p'.repeat(474)}fpfpfp`, 3), 0],
    ['six failures in 480 runs of a day', runsOf(`${'p'.repeat(468)}fpfpfpfpfpfp`, 3), 1],
    ['failures of last week', runsOf(`fpfpfp${'p'.repeat(40)}`, 360), 0],
  ])('%s: %d', async (_, check, count) => {
    expect(flappingChecks(await evidenceOf({ checks: [check] }))).toHaveLength(count)
  })

  it('is not one that fails while deploys replace the app', async () => {
    const evidence = await evidenceOf({ checks: [runsOf('pfppfppfpp', 10)] })
    const deployTimes = [90, 60, 30].map((ago) => minutesAgo(ago + 1))
    expect(flappingChecks({ ...evidence, deployTimes })).toEqual([])
  })
})

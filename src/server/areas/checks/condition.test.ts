import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Verdict } from '#contract/checks/checks.ts'
import { applyVerdict, type CheckEvent, type Condition } from './condition.ts'

const NEW: Condition = { state: 'unknown', consecutiveFails: 0, isAlertOpen: false }
const VERDICT_OF: Record<string, Verdict> = { p: 'pass', f: 'fail', e: 'error', i: 'indeterminate' }

/** The event of each run, `-` where there is none. */
function eventsOf(verdicts: readonly Verdict[], threshold: number): (CheckEvent | '-')[] {
  let condition = NEW
  return verdicts.map((verdict) => {
    const change = applyVerdict(condition, verdict, threshold)
    condition = change.condition
    return change.event ?? '-'
  })
}

const events = (runs: string, threshold: number) =>
  eventsOf(
    runs.split('').map((run) => VERDICT_OF[run]!),
    threshold,
  ).join(' ')

describe('NO-03 events of a check follow its transitions', () => {
  it.each([
    // runs, threshold, events
    ['ppp', 1, '- - -'],
    ['f', 1, 'failed'],
    ['fff', 1, 'failed - -'],
    ['pffp', 1, '- failed - recovered'],
    ['ppff', 2, '- - - failed'],
    ['fffp', 2, '- failed - recovered'],
    ['fpfpfp', 2, '- - - - - -'],
    ['fpffpf', 2, '- - - failed recovered -'],
    ['ffpffp', 2, '- failed recovered - failed recovered'],
    ['ee', 1, 'error -'],
    ['ii', 3, 'indeterminate -'],
    ['pep', 1, '- error -'],
    ['pip', 1, '- indeterminate -'],
    ['epe', 1, 'error - error'],
    ['eie', 1, 'error indeterminate error'],
    // An error or a limit lies between two fails: they do not follow each other directly.
    ['fefe', 2, '- error - error'],
    ['fifff', 3, '- indeterminate - - failed'],
    // The first pass after a failed alert is the recovery, whatever lay between.
    ['fep', 1, 'failed error recovered'],
    ['fip', 1, 'failed indeterminate recovered'],
    ['fefp', 1, 'failed error failed recovered'],
    ['ffefp', 2, '- failed error - recovered'],
    ['ffeieepp', 2, '- failed error indeterminate error - recovered -'],
  ])('runs %s with threshold %i emit %s', (runs, threshold, expected) => {
    expect(events(runs, threshold)).toBe(expected)
  })

  it('a failed check stays failed without a second alert when its threshold is raised', () => {
    const failed = applyVerdict(NEW, 'fail', 1).condition
    expect(applyVerdict(failed, 'fail', 5)).toEqual({
      condition: { state: 'fail', consecutiveFails: 2, isAlertOpen: true },
      event: undefined,
    })
  })

  it('shows a check that fails below its threshold as failing', () => {
    expect(applyVerdict(NEW, 'fail', 2).condition).toMatchObject({ state: 'failing', consecutiveFails: 1 })
  })
})

/**
 * Written from the seed's table of events and not from the code above: it looks at the whole history for each run and
 * keeps no state.
 */
function eventByHistory(history: readonly Verdict[], threshold: number, at: number): CheckEvent | '-' {
  const hasFailed = (index: number) =>
    index + 1 >= threshold && history.slice(index + 1 - threshold, index + 1).every((verdict) => verdict === 'fail')
  const isAlert = (index: number) => hasFailed(index) && !(index > 0 && hasFailed(index - 1))
  const verdict = history[at]!
  if (verdict === 'fail') return isAlert(at) ? 'failed' : '-'
  if (verdict !== 'pass') return history[at - 1] === verdict ? '-' : verdict
  const lastPass = history.lastIndexOf('pass', at - 1)
  const sincePass = history.map((_, index) => index).filter((index) => index < at && index > lastPass)
  return sincePass.some(isAlert) ? 'recovered' : '-'
}

describe('NO-03 a check that flaps around its threshold', () => {
  it('emits what a model written from the table of events emits, for any runs and any threshold', () => {
    const verdicts = fc.array(fc.constantFrom<Verdict[]>('pass', 'fail', 'fail', 'error', 'indeterminate'), {
      maxLength: 40,
    })
    fc.assert(
      fc.property(verdicts, fc.integer({ min: 1, max: 5 }), (history, threshold) => {
        expect(eventsOf(history, threshold)).toEqual(history.map((_, at) => eventByHistory(history, threshold, at)))
      }),
      { numRuns: 2_000 },
    )
  })

  it('never alerts twice in a row for the same state, and recovers only after it failed', () => {
    const verdicts = fc.array(fc.constantFrom<Verdict[]>('pass', 'fail', 'error', 'indeterminate'), { maxLength: 60 })
    fc.assert(
      fc.property(verdicts, fc.integer({ min: 1, max: 4 }), (history, threshold) => {
        const emitted = eventsOf(history, threshold).filter((event) => event !== '-')
        const recoveries = emitted.filter((event) => event === 'recovered').length
        const alerts = emitted.filter((event) => event === 'failed').length
        expect(recoveries).toBeLessThanOrEqual(alerts)
        emitted.forEach((event, index) => {
          if (event === 'recovered') expect(emitted.slice(0, index)).toContain('failed')
          if (event === 'failed') expect(emitted[index - 1]).not.toBe('failed')
        })
      }),
    )
  })
})

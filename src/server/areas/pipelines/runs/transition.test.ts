import { array, assert, boolean, constantFrom, property, record } from 'fast-check'
import { expect, it } from 'vitest'
import type { PipelineState } from '#contract/pipelines.ts'
import { type RunOutcome, transition } from './transition.ts'

const scheduled = { trigger: 'schedule', isEnabled: true, isScheduled: true } as const
const byHand = { ...scheduled, trigger: 'manual' } as const

// biome-ignore format: the columns are the point
const TABLE: [PipelineState | null, RunOutcome, PipelineState | 'stays', string | undefined][] = [
  [null,           'succeeded',    'ok',           undefined],
  [null,           'failed',       'failed',       'pipeline.run.failed'],
  [null,           'host_offline', 'host_offline', 'pipeline.run.host_offline'],
  [null,           'missed',       'missed',       'pipeline.run.missed'],
  [null,           'skipped',      'stays',        undefined],
  ['ok',           'succeeded',    'stays',        undefined],
  ['ok',           'failed',       'failed',       'pipeline.run.failed'],
  ['ok',           'host_offline', 'host_offline', 'pipeline.run.host_offline'],
  ['ok',           'missed',       'missed',       'pipeline.run.missed'],
  ['ok',           'skipped',      'stays',        undefined],
  ['failed',       'succeeded',    'ok',           'pipeline.run.recovered'],
  ['failed',       'failed',       'stays',        undefined],
  ['failed',       'host_offline', 'host_offline', 'pipeline.run.host_offline'],
  ['failed',       'missed',       'missed',       'pipeline.run.missed'],
  ['failed',       'skipped',      'stays',        undefined],
  ['host_offline', 'succeeded',    'ok',           'pipeline.run.recovered'],
  ['host_offline', 'failed',       'failed',       'pipeline.run.failed'],
  ['host_offline', 'host_offline', 'stays',        undefined],
  ['host_offline', 'missed',       'missed',       'pipeline.run.missed'],
  ['host_offline', 'skipped',      'stays',        undefined],
  ['missed',       'succeeded',    'ok',           'pipeline.run.recovered'],
  ['missed',       'failed',       'failed',       'pipeline.run.failed'],
  ['missed',       'host_offline', 'host_offline', 'pipeline.run.host_offline'],
  ['missed',       'missed',       'stays',        undefined],
  ['missed',       'skipped',      'stays',        undefined],
]

it.each(TABLE)('NO-03 a pipeline that is %s and whose run is %s', (state, outcome, next, event) => {
  const changed = transition(state, { ...scheduled, outcome })
  expect(changed).toEqual(next === 'stays' ? undefined : { state: next, event })
})

it('NO-03 a disabled pipeline and one without a schedule never change their state', () => {
  for (const [state, outcome] of TABLE) {
    expect(transition(state, { ...scheduled, outcome, isEnabled: false })).toBeUndefined()
    expect(transition(state, { ...scheduled, outcome, isScheduled: false })).toBeUndefined()
  }
})

it('NO-03 a run by hand reports failure and recovery, and never an offline host or a missed time', () => {
  expect(transition('ok', { ...byHand, outcome: 'failed' })?.event).toBe('pipeline.run.failed')
  expect(transition('missed', { ...byHand, outcome: 'succeeded' })?.event).toBe('pipeline.run.recovered')
  expect(transition('ok', { ...byHand, outcome: 'host_offline' })).toBeUndefined()
  expect(transition('ok', { ...byHand, outcome: 'missed' })).toBeUndefined()
})

type Night = { outcome: RunOutcome; isEnabled: boolean; isScheduled: boolean }

/**
 * Alerts for a history of nights, from the words of the rule alone: runs skipped by policy, disabled pipelines and
 * pipelines without a schedule do not count. Of the nights that count, a bad one is announced unless the night before it
 * was bad in the same way, and a good one is announced if the night before it was bad.
 */
function expectedAlerts(nights: readonly Night[]): string[] {
  const counted = nights.filter((night) => night.isEnabled && night.isScheduled && night.outcome !== 'skipped')
  return counted.flatMap(({ outcome }, index) => {
    const before = counted[index - 1]?.outcome
    if (outcome === before) return []
    if (outcome !== 'succeeded') return [`pipeline.run.${outcome}`]
    return before === undefined ? [] : ['pipeline.run.recovered']
  })
}

function alertsOf(nights: readonly Night[]): string[] {
  let state: PipelineState | null = null
  return nights.flatMap((night) => {
    const changed = transition(state, { ...night, trigger: 'schedule' })
    state = changed?.state ?? state
    return changed?.event ?? []
  })
}

it('NO-03 any history of nights gives the alerts that the rule in words gives', () => {
  const night = record({
    outcome: constantFrom<RunOutcome[]>('succeeded', 'failed', 'host_offline', 'missed', 'skipped'),
    isEnabled: boolean(),
    isScheduled: boolean(),
  })
  assert(
    property(array(night, { maxLength: 40 }), (nights) => {
      expect(alertsOf(nights)).toEqual(expectedAlerts(nights))
    }),
    { numRuns: 1_000 },
  )
})

it('NO-03 nights fail, fail, offline three times, fail, fail, ok give four alerts', () => {
  const nights = ['failed', 'failed', 'host_offline', 'host_offline', 'host_offline', 'failed', 'failed', 'succeeded']
  expect(alertsOf(nights.map((outcome) => ({ ...scheduled, outcome: outcome as RunOutcome })))).toEqual([
    'pipeline.run.failed',
    'pipeline.run.host_offline',
    'pipeline.run.failed',
    'pipeline.run.recovered',
  ])
})

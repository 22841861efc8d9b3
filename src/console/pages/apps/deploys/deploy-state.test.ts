import { expect, it } from 'vitest'
import type { Deploy } from '#contract/apps/deploys.ts'
import { DEPLOY_STATES, deploySeconds, describeApp, isUnderWay } from './deploy-state.ts'

const DEPLOY: Deploy = {
  id: 'dep_1',
  revision_message: null,
  revision_id: 'rev_1',
  kind: 'deploy',
  state: 'live',
  failure_code: null,
  failure_detail: null,
  requested_by: null,
  created_at: '2026-01-01T08:00:00.000Z',
  started_at: '2026-01-01T08:00:05.000Z',
  live_at: '2026-01-01T08:00:17.500Z',
  ended_at: null,
}
const ENDED = '2026-01-01T08:01:05.000Z'

it.each<[string, Partial<Deploy>, number | undefined]>([
  ['live', {}, 12.5],
  ['retired: the time it served does not count', { state: 'retired', ended_at: ENDED }, 12.5],
  ['failed', { state: 'failed', live_at: null, ended_at: ENDED }, 60],
  ['superseded', { state: 'superseded', started_at: null, live_at: null, ended_at: ENDED }, undefined],
  ['building', { state: 'building', live_at: null }, undefined],
])('CO-03 the duration of a deploy that is %s', (_, change, seconds) => {
  expect(deploySeconds({ ...DEPLOY, ...change })).toBe(seconds)
})

it.each([
  ['queued', true, 'running'],
  ['building', true, 'running'],
  ['starting', true, 'running'],
  ['live', false, 'success'],
  ['retired', false, 'plain'],
  ['failed', false, 'failure'],
  ['superseded', false, 'plain'],
] as const)('CO-03 a deploy that is %s: under way %s, shown as %s', (state, underWay, tone) => {
  expect(isUnderWay({ state })).toBe(underWay)
  expect(DEPLOY_STATES[state].tone).toBe(tone)
})

const words = (live: string | null, latest: { id: string; state: Deploy['state'] } | null) =>
  describeApp({ state: 'active', live_deploy: live === null ? null : { id: live }, latest_deploy: latest }).map(
    ({ word }) => word,
  )

it('CO-03 an app that serves is live, also where a later deploy failed or is under way, which is shown beside it', () => {
  expect(words(null, null)).toEqual(['Not deployed'])
  expect(words('dep_1', { id: 'dep_1', state: 'live' })).toEqual(['Live'])
  expect(words('dep_1', { id: 'dep_2', state: 'failed' })).toEqual(['Live', 'Last deploy failed'])
  expect(words('dep_1', { id: 'dep_2', state: 'building' })).toEqual(['Live', 'Last deploy building'])
  expect(words('dep_1', { id: 'dep_2', state: 'superseded' })).toEqual(['Live'])
  expect(words(null, { id: 'dep_1', state: 'failed' })).toEqual(['Failed'])
  expect(describeApp({ state: 'deleting', live_deploy: { id: 'dep_1' }, latest_deploy: null })).toEqual([
    { word: 'Being deleted', tone: 'running' },
  ])
})

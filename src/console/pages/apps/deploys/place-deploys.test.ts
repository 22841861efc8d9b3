import { expect, it } from 'vitest'
import { placeDeploys } from './place-deploys.ts'

it('CO-03 the timeline places deploys by their time, the oldest at the left', () => {
  const deploys = ['2026-01-11', '2026-01-06', '2026-01-01'].map((day) => ({ created_at: `${day}T00:00:00.000Z` }))
  expect(placeDeploys(deploys, 100).map(({ x }) => x)).toEqual([100, 50, 0])
})

it('CO-03 deploys of one moment stand in the middle of the timeline', () => {
  const at = { created_at: '2026-01-11T00:00:00.000Z' }
  expect(placeDeploys([at, at], 100).map(({ x }) => x)).toEqual([50, 50])
})

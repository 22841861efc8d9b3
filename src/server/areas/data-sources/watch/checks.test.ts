import { expect, it } from 'vitest'
import { addNight, type Check, isFinding } from './checks.ts'

const DAY_MS = 86_400_000
const START = Date.parse('2026-03-01T02:00:00.000Z')

function pass(kind: Parameters<typeof addNight>[0], nights: readonly [seen: number, of: number][]): Check {
  let check: Check | undefined
  for (const [n, [seen, of]] of nights.entries())
    check = addNight(kind, check, new Date(START + n * DAY_MS), { seen, of, rows: seen > 0 ? [`row${n}`] : [] })
  return check!
}

it('DS-26 a fault that needs two rows is reported by the night that sees the second', () => {
  expect(isFinding('stale', pass('stale', [[1, 200]]))).toBe(false)
  const check = pass('stale', [
    [1, 200],
    [0, 200],
    [1, 200],
  ])
  expect(isFinding('stale', check)).toBe(true)
  expect(check).toMatchObject({ first_seen: '2026-03-03T02:00:00.000Z', rows: ['row2', 'row0'] })
})

it('DS-26 a fault is gone when the nights since should have seen five rows of it', () => {
  const seen: [number, number][] = [[4, 400]]
  expect(isFinding('stale', pass('stale', [...seen, [0, 400]]))).toBe(true)
  const repaired = pass('stale', [...seen, [0, 400], [0, 100]])
  expect(isFinding('stale', repaired)).toBe(false)
  expect(repaired).toMatchObject({ first_seen: null, rows: [] })
})

it('DS-26 only the last seven nights count', () => {
  const nights = Array.from({ length: 7 }, (): [number, number] => [0, 10])
  expect(isFinding('zero', pass('zero', [[1, 1_000], ...nights.slice(1)]))).toBe(true)
  expect(isFinding('zero', pass('zero', [[1, 1_000], ...nights]))).toBe(false)
})

it('DS-26 a few rows without a vector, or unlike all others, are no finding', () => {
  expect(isFinding('missing', pass('missing', [[9, 10_000]]))).toBe(false)
  expect(isFinding('missing', pass('missing', [[10, 10_000]]))).toBe(true)
  expect(isFinding('models', pass('models', [[5, 1_000]]))).toBe(false)
  expect(isFinding('models', pass('models', [[6, 1_000]]))).toBe(true)
})

import { describe, expect, it } from 'vitest'
import { testClock } from '#lib/time/clock.ts'
import { createSelectivity, isSelective } from './selectivity.ts'
import type { EntryQuery } from './statements.ts'

const entry = { oid: 1, schema: 'public', table: 'articles', index: 'hnsw' } as EntryQuery['entry']
const ask = (values: string[], over: Partial<EntryQuery['entry']> = {}): EntryQuery => ({
  entry: { ...entry, ...over },
  filters: [{ column: 'category', operator: 'any_of', values }],
  vector: '[1]',
  limit: 10,
})

it('DS-15 a decision holds for a minute, for its database, table, filter values and person alone', async () => {
  const clock = testClock()
  const decideOnce = createSelectivity(clock)
  const [library, archive] = [{}, {}]
  expect(await decideOnce(library, ask(['a']), async () => 'few')).toBe('few')
  expect(await decideOnce(library, ask(['a']), async () => 'some')).toBe('few')
  expect(await decideOnce(library, ask(['b']), async () => 'some')).toBe('some')
  expect(await decideOnce(library, ask(['a'], { oid: 2 }), async () => 'some')).toBe('some')
  expect(await decideOnce(library, { ...ask(['a']), person: { 'app.email': 'a@b.c' } }, async () => 'most')).toBe(
    'most',
  )
  expect(await decideOnce(library, { ...ask(['a']), person: { 'app.email': 'd@e.f' } }, async () => 'some')).toBe(
    'some',
  )
  expect(await decideOnce(archive, ask(['a']), async () => 'some')).toBe('some')
  clock.advance(59_999)
  expect(await decideOnce(library, ask(['a']), async () => 'some')).toBe('few')
  clock.advance(1)
  expect(await decideOnce(library, ask(['a']), async () => 'some')).toBe('some')
})

it('DS-15 what could not be decided is asked again', async () => {
  const decideOnce = createSelectivity(testClock())
  const failing = decideOnce({}, ask(['a']), async () => Promise.reject(new Error('no')))
  await expect(failing).rejects.toThrow('no')
  const db = {}
  await decideOnce(db, ask(['a']), async () => Promise.reject(new Error('no'))).catch(() => undefined)
  expect(await decideOnce(db, ask(['a']), async () => 'few')).toBe('few')
})

describe('DS-15 the planner', () => {
  it.each([
    [0, 0, true],
    [2_000, 10_000, true],
    [2_001, 10_000, false],
    [60_000, 1_000_000, true],
    [60_001, 1_000_000, false],
  ])('%d expected of %d rows: exact is %s', (expected, rows, exact) => {
    expect(isSelective(expected, rows)).toBe(exact)
  })
})

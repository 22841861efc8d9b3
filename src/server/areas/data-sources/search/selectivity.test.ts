import { expect, it } from 'vitest'
import { createPlans } from './selectivity.ts'
import type { Question } from './statements.ts'

const entry = { oid: 1, schema: 'public', table: 'articles', index: 'hnsw' } as Question['entry']
const ask = (values: string[], over: Partial<Question['entry']> = {}): Question => ({
  entry: { ...entry, ...over },
  filters: [{ column: 'category', values }],
  vector: '[1]',
  limit: 10,
})

it('DS-15 a decision holds for a minute, for its database, table and filter values alone', async () => {
  let now = 0
  const plans = createPlans(() => now)
  const [library, archive] = [{}, {}]
  expect(await plans(library, ask(['a']), async () => true)).toBe(true)
  expect(await plans(library, ask(['a']), async () => false)).toBe(true)
  expect(await plans(library, ask(['b']), async () => false)).toBe(false)
  expect(await plans(library, ask(['a'], { oid: 2 }), async () => false)).toBe(false)
  expect(await plans(archive, ask(['a']), async () => false)).toBe(false)
  now = 59_999
  expect(await plans(library, ask(['a']), async () => false)).toBe(true)
  now = 60_000
  expect(await plans(library, ask(['a']), async () => false)).toBe(false)
})

it('DS-15 what could not be decided is asked again', async () => {
  const plans = createPlans(() => 0)
  const failing = plans({}, ask(['a']), async () => Promise.reject(new Error('no')))
  await expect(failing).rejects.toThrow('no')
  const db = {}
  await plans(db, ask(['a']), async () => Promise.reject(new Error('no'))).catch(() => undefined)
  expect(await plans(db, ask(['a']), async () => true)).toBe(true)
})

import { expect, it } from 'vitest'
import type { Indexes, VectorIndex } from './indexes.ts'
import { choosePlan, planWarning, scansIteratively } from './plan.ts'

it.each([
  ['0.5.1', false],
  ['0.7.4', false],
  ['0.8.0', true],
  ['0.10.0', true],
  ['1.0', true],
])('DS-15 with the vector extension %s an index that goes on until there are enough hits: %s', (version, goesOn) => {
  expect(scansIteratively({ version })).toBe(goesOn)
})

const entry = {
  schema: 'public',
  table: 'articles',
  vector_column: 'embedding',
  vector_type: 'vector',
  metric: 'cosine',
} as const
const hnsw: VectorIndex = {
  name: 'near',
  method: 'hnsw',
  operator_class: 'vector_cosine_ops',
  valid: true,
  partial: false,
  file: 1,
  lists: 100,
}
const ivfflat: VectorIndex = { ...hnsw, name: 'lists', method: 'ivfflat' }
const having = (found: VectorIndex[], over: Partial<Indexes> = {}): Indexes => ({
  oid: 1,
  kind: 'r',
  version: '0.8.0',
  rows: 100,
  found,
  ...over,
})

it.each<[string, Indexes | undefined, string]>([
  ['no index', having([]), '"embedding" of public.articles has no hnsw or ivfflat index'],
  [
    'an index of another metric',
    having([{ ...hnsw, operator_class: 'vector_l2_ops' }]),
    '"embedding" of public.articles has an index with vector_l2_ops, which cosine cannot use',
  ],
  [
    'an index that is not valid',
    having([{ ...hnsw, valid: false }]),
    '"embedding" of public.articles has the index "near", which is not valid: still being built, or its build failed',
  ],
  [
    'an index over some rows',
    having([{ ...hnsw, partial: true }]),
    '"embedding" of public.articles has the index "near", which covers only some of the rows',
  ],
  ['a view', having([], { kind: 'v' }), 'public.articles is a view, which has no index of its own'],
  ['no table', undefined, 'public.articles does not exist anymore: save the configuration again'],
  ['no extension', having([], { version: null }), 'the extension vector is no longer installed in this database'],
  [
    'an old extension',
    having([hnsw], { version: '0.7.4' }),
    'the extension vector has version 0.7.4: indexes are used from 0.8 on',
  ],
])('DS-15 the search is exact with %s, and the plan says why', (_, indexes, reason) => {
  expect(choosePlan(entry, indexes)).toEqual({ method: 'exact', index: null, reason })
})

it.each<[string, VectorIndex[], string, string]>([
  ['an HNSW index', [hnsw], 'hnsw', 'near'],
  ['an IVFFlat index', [ivfflat], 'ivfflat', 'lists'],
  ['both', [ivfflat, hnsw], 'hnsw', 'near'],
  ['an HNSW index that is being built', [{ ...hnsw, valid: false }, ivfflat], 'ivfflat', 'lists'],
])('DS-15 with %s the plan names the index that is used', (_, found, method, index) => {
  expect(choosePlan(entry, having(found))).toEqual({
    method,
    index,
    reason: `the index "${index}" supports cosine; questions whose filters match few rows use an exact search`,
  })
})

it('DS-05 an exact search is warned of, but not once for each entry where the extension is too old', () => {
  const plan = choosePlan(entry, having([]))
  expect(planWarning(plan, { version: '0.8.0' })).toBe(
    '"embedding" of public.articles has no hnsw or ivfflat index: questions compare all rows',
  )
  expect(planWarning(plan, { version: '0.7.4' })).toBeUndefined()
  expect(planWarning(choosePlan(entry, having([hnsw])), { version: '0.8.0' })).toBeUndefined()
})

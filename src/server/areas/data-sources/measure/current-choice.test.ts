import { expect, it } from 'vitest'
import type { Querier } from '#lib/db/db.ts'
import { testClock } from '#lib/time/clock.ts'
import type { ResolvedEntry } from '../search/entry.ts'
import type { Indexes } from '../search/indexes.ts'
import { createFindMeasured } from './current-choice.ts'

const ENTRY: ResolvedEntry = {
  label: 'a',
  schema: 'public',
  table: 'articles',
  vector_column: 'embedding',
  vector_type: 'vector',
  extension_schema: 'public',
  model: 'outside/model',
  dimensions: 3,
  metric: 'cosine',
  content: [{ name: 'id', type: 'text' }],
  filters: {},
  index: null,
  oid: 1,
  row_security: false,
  version: '0.8.0',
}
const WITHOUT_INDEX: Indexes = { oid: 1, kind: 'r', version: '0.8.0', rows: 100, found: [] }

/** Nothing is stored and nothing is requested: a statement would fail. */
const db: Querier = {
  query: () => {
    throw new Error('a statement was run')
  },
}
const find = createFindMeasured({ db, clock: testClock(), mayEmbedRows: (model) => model === 'here' })

it.each<[string, Partial<ResolvedEntry>, Indexes | undefined, string]>([
  ['the text of rows would go to a provider outside', {}, WITHOUT_INDEX, 'row_text_stays_here'],
  ['each person sees other rows', { model: 'here', person_settings: {} }, WITHOUT_INDEX, 'rows_by_person'],
  ['the table is gone', { model: 'here' }, undefined, 'not_measured'],
])('DS-25 nothing is measured and the relevance is unknown where %s', async (_what, over, indexes, reason) => {
  expect(await find('ds_1', { ...ENTRY, ...over }, indexes)).toEqual({ calibration: { outcome: 'unknown', reason } })
})

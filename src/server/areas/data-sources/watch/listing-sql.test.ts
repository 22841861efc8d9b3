import { expect, it } from 'vitest'
import type { ResolvedEntry } from '../search/entry.ts'
import { listingSql } from './listing-sql.ts'

const entryOf = (table: string, id: string): ResolvedEntry => ({
  label: 'a',
  model: 'a/b',
  schema: 'public',
  table,
  oid: 1,
  vector_column: 'embedding',
  vector_type: 'vector',
  extension_schema: 'public',
  version: '0.8.0',
  dimensions: 2,
  metric: 'cosine',
  row_security: false,
  content: [{ name: id, type: 'integer' }],
  filters: {},
  index: null,
})
const check = { nights: [], first_seen: null, rows: [] }
const sqlOf = (table: string, id: string) => listingSql('missing', { entry: entryOf(table, id), check, recipe: null })

it('DS-26 the SQL of a finding has a line for each clause', () => {
  expect(sqlOf('articles', 'id')).toBe('select "id"\nfrom "public"."articles"\nwhere "embedding" is null;')
})

it('DS-26 the SQL of a finding leaves names as they are, also of several lines, with quotes and without end', () => {
  const [table, id] = ['two \n\n  "lines"; --', `it's\n 'one'`]
  expect(sqlOf(table, id)).toBe(`select "${id}"\nfrom "public"."two \n\n  ""lines""; --"\nwhere "embedding" is null;`)
})

import { describe, expect, it } from 'vitest'
import type { DatabaseTable } from '#contract/database-tables.ts'
import { composeDocument, isSameDocument, savedDraft, suggestDraft } from './draft.ts'

const column = (name: string, base_type: string, category: string, more: object = {}) => ({
  name,
  type: base_type,
  base_type,
  category,
  is_key: false,
  dimensions: null,
  filled: null,
  ...more,
})
const TABLE: DatabaseTable = {
  schema: 'public',
  name: 'articles',
  kind: 'table',
  rows: { rows: 3, is_estimate: false },
  bytes: 8192,
  has_row_security: false,
  columns: [
    column('body', 'text', 'S'),
    column('id', 'int4', 'N', { is_key: true }),
    column('title', 'text', 'S'),
    column('category', 'text', 'S'),
    column('api_token', 'text', 'S'),
    column('embedding', 'vector', 'U', { dimensions: 8 }),
  ],
  columns_left_out: 0,
}
const MODELS = [
  { id: 'fake/large', dimensions: 16 },
  { id: 'fake/small', dimensions: 8 },
]
const NOTHING = { connection_config: { embedding_configs: [] }, filter_schema: {} }
const ENTRY = {
  label: 'articles',
  table: 'public.articles',
  columns: ['embedding'],
  model: 'fake/small',
  dimensions: 8,
  content_columns: 'id, title, body, category',
  distance_metric: 'cosine' as const,
}

describe('CO-07 the document of a table', () => {
  it('has the id and the title first, the model of its size, filters with types, and no column that could be secret', () => {
    const document = composeDocument(TABLE, suggestDraft(TABLE, MODELS), MODELS, NOTHING)
    expect(document).toEqual({
      connection_config: { embedding_configs: [ENTRY] },
      filter_schema: { category: 'string' },
    })
  })

  it('replaces the entry of the same table and leaves the others, their filters and the settings of persons', () => {
    const pages = { ...ENTRY, label: 'pages', table: 'public.pages' }
    const saved = {
      connection_config: {
        embedding_configs: [{ ...ENTRY, table: 'articles' }, pages],
        person_settings: { 'app.email': 'email' as const },
      },
      filter_schema: { lang: 'string' as const },
    }
    const draft = {
      ...suggestDraft(TABLE, MODELS),
      label: ' all ',
      title: 'body',
      returned: new Set(['title']),
      filters: new Set(['api_token']),
    }
    expect(composeDocument(TABLE, draft, MODELS, saved)).toEqual({
      connection_config: {
        embedding_configs: [{ ...ENTRY, label: 'all', content_columns: 'id, body, title' }, pages],
        person_settings: { 'app.email': 'email' },
      },
      filter_schema: { lang: 'string', api_token: 'string' },
    })
  })

  it('begins with the choices that were saved', () => {
    const saved = {
      connection_config: {
        embedding_configs: [{ ...ENTRY, label: 'mine', content_columns: 'id, title, category, body' }],
      },
      filter_schema: { title: 'string' as const },
    }
    expect(savedDraft(TABLE, saved)).toEqual({
      label: 'mine',
      vector: 'embedding',
      model: 'fake/small',
      metric: 'cosine',
      id: 'id',
      title: 'title',
      returned: new Set(['category', 'body']),
      filters: new Set(['title']),
    })
    expect(savedDraft(TABLE, NOTHING)).toBeUndefined()
  })

  it('is the same as a saved one whatever the order of its keys', () => {
    expect(isSameDocument({ a: [{ b: 1, c: 2 }] }, { a: [{ c: 2, b: 1 }] })).toBe(true)
    expect(isSameDocument({ a: [1, 2] }, { a: [2, 1] })).toBe(false)
  })
})

import { expect, it } from 'vitest'
import { textOf } from './show.ts'

const SOURCE = {
  id: 'ds_1',
  source_id: 'db_docs',
  name: 'docs',
  description: 'How we work',
  enabled: true,
  exposed: true,
  min_role: 'viewer',
  connection_config: {
    embedding_configs: [
      {
        label: 'notes',
        table: 'public.notes',
        columns: ['embedding'],
        model: 'm',
        dimensions: 3,
        content_columns: 'id, title',
        distance_metric: 'cosine',
      },
    ],
    person_settings: { 'app.email': 'email', 'app.role': 'role' },
  },
  filter_schema: { category: 'string' },
  warnings: [],
  plan: [
    {
      label: 'notes',
      method: 'hnsw',
      index: 'near',
      reason: 'r',
      ef_search: 400,
      probes: null,
      measured: null,
      relevance: null,
    },
  ],
  max_staleness_seconds: 0,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
} satisfies Parameters<typeof textOf>[0]

it('DS-28 svc datasource show prints which claims of a person the rows are told apart by', () => {
  expect(textOf(SOURCE)).toEqual([
    'db_docs: How we work',
    'Asked by: the role viewer and above',
    'Rows by person: app.email is the email, app.role is the role of the person who asks',
    'Filters: category:string',
    'Searches notes: public.notes (id, title), hnsw near',
  ])
})

it('DS-04 svc datasource show prints that nobody can ask a source, and that its rows are the same for all', () => {
  const { embedding_configs } = SOURCE.connection_config
  const hidden = { ...SOURCE, exposed: false, filter_schema: {}, plan: [], connection_config: { embedding_configs } }
  expect(textOf(hidden).slice(1)).toEqual([
    'Asked by: nobody, because it is not exposed',
    'Rows by person: no, everyone who may ask finds the same rows',
    'Filters: none',
    'Searches notes: public.notes (id, title), not searched',
  ])
})

it('DS-25 svc datasource show prints the scores that mean yes and no, or why they are not known', () => {
  const [plan] = SOURCE.plan
  const relevance = {
    outcome: 'separated',
    reason: null,
    low: 0.31,
    high: 0.4973,
    error_rate: 0.05,
    questions: 736,
  } as const
  const shown = (over: NonNullable<Parameters<typeof textOf>[0]['plan'][number]['relevance']>) =>
    textOf({ ...SOURCE, plan: [{ ...plan!, relevance: over }] }).at(-1)
  expect(shown({ ...relevance, at: '2026-01-01T00:00:00.000Z' })).toBe(
    '  Relevance: a best score below 0.310 is no, from 0.497 on yes (736 questions; 5 % of answerable ones may be called no)',
  )
  const unknown = { low: null, high: null, error_rate: null, questions: 0, at: null, outcome: 'unknown' } as const
  expect(shown({ ...unknown, reason: 'rows_by_person' })).toBe('  Relevance: unknown, each person sees other rows')
})

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
  vectors: [],
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

const SEEN = { first_seen: '2026-01-02T02:00:00.000Z', last_seen: '2026-01-03T02:00:00.000Z' }
const CLEAN = {
  label: 'notes',
  state: 'clean',
  looked_at: '2026-01-03T02:00:00.000Z',
  reason: null,
  findings: [],
  not_checked: [],
} satisfies Parameters<typeof textOf>[0]['vectors'][number]

it('DS-26 svc datasource show prints what the nights found in the vectors, with the SQL that lists the rows', () => {
  const finding = { rows_seen: 40, rows_looked_at: 9000, share: 0.00444, ...SEEN, explanation: 'Why.', advice: 'Do.' }
  const vectors: Parameters<typeof textOf>[0]['vectors'] = [
    { ...CLEAN, state: 'findings', findings: [{ kind: 'zero', ...finding, sql: 'select id\nfrom notes;' }] },
    { ...CLEAN, label: 'plain', not_checked: [{ kind: 'stale', reason: 'm is not configured' }] },
    { ...CLEAN, label: 'new', state: 'not_looked_at', looked_at: null },
    { ...CLEAN, label: 'seen', state: 'not_possible', looked_at: null, reason: 'a view cannot be sampled' },
  ]
  expect(textOf({ ...SOURCE, vectors }).slice(5)).toEqual([
    'Vectors of notes: 1 finding as of 2026-01-03T02:00:00.000Z',
    '  zero: 40 of 9000 rows that were looked at. Why. Do.',
    '    select id',
    '    from notes;',
    'Vectors of plain: clean as of 2026-01-03T02:00:00.000Z',
    '  stale not checked: m is not configured',
    'Vectors of new: not looked at yet, the first look is at night',
    'Vectors of seen: not looked at, because a view cannot be sampled',
  ])
})

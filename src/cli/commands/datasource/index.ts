import type { Argument, Command } from '../../command/command.ts'

/** Written out, because reading them from the contract would make every command start slower. A test compares them. */
export const MIN_ROLE_CHOICES = ['viewer', 'developer', 'admin', 'owner'] as const

const SOURCE: Argument = {
  name: 'source_id',
  field: 'id',
  completes: 'sources',
  summary: 'source id, which is db_ and the name of the database',
}
const DATABASE: Argument = {
  name: 'database',
  field: 'name',
  completes: 'databases',
  summary: 'name of a managed database',
}

export const datasource: readonly Command[] = [
  {
    path: 'datasource list',
    summary: 'List the data sources you may ask',
    description: 'List the data sources you may ask, with the columns you can filter on.',
    examples: ['svc datasource list'],
    load: async () => (await import('./sources.ts')).list,
  },
  {
    path: 'datasource show',
    summary: 'Show how a data source is searched',
    description:
      'Show what of a data source can be asked, by whom, which rows each person finds, and what is wrong with the stored vectors. With -o json it prints the whole search configuration. Needs the role developer, admin or owner.',
    arguments: [SOURCE],
    examples: ['svc datasource show db_handbook', 'svc datasource show db_handbook -o json'],
    load: () => import('./show.ts'),
  },
  {
    path: 'datasource query',
    summary: 'Ask a data source a question',
    description: 'Ask a data source a question and print the nearest rows.',
    arguments: [
      { name: 'source_id', field: 'id', completes: 'sources', summary: 'source id from `svc datasource list`' },
      { name: 'question', field: 'query', summary: 'your question, in quotes' },
    ],
    options: [
      {
        name: 'filter',
        field: 'filters',
        value: 'column=value',
        repeat: true,
        summary: 'exact match; repeat it for more columns, or for more values of one column',
      },
      { name: 'top-k', value: 'n', range: [1, 20], summary: 'number of hits, 1 to 20 (default: 10)' },
      { name: 'target', value: 'label', summary: 'search only the entry with this label' },
    ],
    examples: [
      'svc datasource query db_handbook "how much leave do I get"',
      'svc datasource query db_handbook "who approves travel" --filter category=travel --top-k 3 -o json',
    ],
    load: () => import('./query.ts'),
  },
  {
    path: 'datasource test',
    summary: 'Measure how often your questions find what they should',
    description:
      'Ask a data source your own questions and print how often an expected id is among the first 1, 3 and 10 hits, and which questions missed. The file is a YAML list; each question has `question`, `expect` (an id, or a list of which one is enough), and optionally `filters` and `target`. With --min it exits with 1 if the hit rate is lower, so that it can run in CI. It waits when the question limit is reached.',
    arguments: [SOURCE, { name: 'file', summary: 'YAML file with questions; - reads standard input' }],
    options: [
      { name: 'min', value: 'percent', range: [0, 100], summary: 'exit with 1 if the hit rate is lower' },
      { name: 'at', value: 'n', choices: ['1', '3', '10'], summary: 'hits that --min looks at (default: 10)' },
    ],
    examples: [
      'svc datasource test db_handbook questions.yaml',
      'svc datasource test db_handbook questions.yaml --min 90 --at 3 --json',
    ],
    load: () => import('./test/test.ts'),
  },
  {
    path: 'datasource enable',
    summary: 'Switch a database on as a data source',
    description:
      'Switch a managed database on as a data source. It is not exposed to agents by that. Needs the role admin or owner.',
    arguments: [DATABASE],
    options: [{ name: 'description', value: 'text', summary: 'what can be asked, for people and agents' }],
    examples: ['svc datasource enable handbook --description "Rules of the company"'],
    load: async () => (await import('./sources.ts')).enable,
  },
  {
    path: 'datasource suggest',
    summary: 'Propose a search configuration of your tables',
    description:
      'Read the structure of a database and print the search configuration that svc would propose, as JSON for `svc api PUT`. Questions that the structure does not answer are printed as comments on stderr, and columns that could hold secrets or personal data are left out. Nothing is saved. Needs the role developer, admin or owner.',
    arguments: [
      DATABASE,
      { name: 'table', optional: true, summary: 'name or schema.name (default: all with vectors)' },
    ],
    output: false,
    examples: ['svc datasource suggest handbook', 'svc datasource suggest handbook public.articles > search.json'],
    load: () => import('./suggest/suggest.ts'),
  },
  {
    path: 'datasource disable',
    summary: 'Switch a data source off',
    description:
      'Switch a data source off. This also stops exposing it. Its search configuration is kept. Needs the role admin or owner.',
    arguments: [DATABASE],
    examples: ['svc datasource disable handbook'],
    load: async () => (await import('./sources.ts')).disable,
  },
  {
    path: 'datasource expose',
    summary: 'Let agents and people ask a data source',
    description:
      'Expose a data source to agents and people with at least a role. The role is required the first time. Needs the role admin or owner.',
    arguments: [SOURCE],
    options: [{ name: 'min-role', value: 'role', choices: MIN_ROLE_CHOICES, summary: 'lowest role that may ask' }],
    examples: ['svc datasource expose db_handbook --min-role viewer'],
    load: async () => (await import('./sources.ts')).expose,
  },
  {
    path: 'datasource unexpose',
    summary: 'Stop exposing a data source',
    description: 'Stop exposing a data source. Nobody can ask it any more. Needs the role admin or owner.',
    arguments: [SOURCE],
    examples: ['svc datasource unexpose db_handbook'],
    load: async () => (await import('./sources.ts')).unexpose,
  },
]

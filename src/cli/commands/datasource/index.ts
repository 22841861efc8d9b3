import type { Command } from '../../command.ts'

export const datasource: readonly Command[] = [
  {
    path: 'datasource list',
    summary: 'List the data sources you may ask',
    description: 'List the data sources you may ask, with the columns you can filter on.',
    output: true,
    login: true,
    examples: ['svc datasource list'],
    load: () => import('./list.ts'),
  },
  {
    path: 'datasource query',
    summary: 'Ask a data source a question',
    description: 'Ask a data source a question and print the nearest rows.',
    arguments: [
      { name: 'source_id', summary: 'source id from `svc datasource list`' },
      { name: 'question', summary: 'your question, in quotes' },
    ],
    options: [
      {
        name: 'filter',
        value: 'column=value',
        repeat: true,
        summary: 'exact match; repeat it for more columns, or for more values of one column',
      },
      { name: 'top-k', value: 'n', range: [1, 20], summary: 'number of hits, 1 to 20 (default: 10)' },
      { name: 'target', value: 'label', summary: 'search only the entry with this label' },
    ],
    output: true,
    login: true,
    examples: [
      'svc datasource query db_handbook "how much leave do I get"',
      'svc datasource query db_handbook "who approves travel" --filter category=travel --top-k 3 -o json',
    ],
    load: () => import('./query.ts'),
  },
]

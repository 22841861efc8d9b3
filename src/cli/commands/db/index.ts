import type { Argument, Command } from '../../command/command.ts'
import { LIMIT } from '../../command/command.ts'

const NAME: Argument = { name: 'name', completes: 'databases', summary: 'name of a managed database' }

export const db: readonly Command[] = [
  {
    path: 'db list',
    summary: 'List managed databases',
    options: [LIMIT],
    examples: ['svc db list'],
    load: async () => (await import('./databases.ts')).list,
  },
  {
    path: 'db create',
    summary: 'Create a managed database',
    description: 'Create a managed database: Postgres with pgvector, its own role and its own password.',
    arguments: [{ name: 'name', summary: 'a lower-case letter, then lower-case letters, digits and underscores' }],
    examples: ['svc db create handbook'],
    load: async () => (await import('./databases.ts')).create,
  },
  {
    path: 'db connect',
    summary: 'Print a connection string',
    description:
      'Print the connection string of a managed database. It contains the password. Each read is recorded in the audit log.',
    arguments: [NAME],
    options: [{ name: 'quiet', short: 'q', summary: 'print only the connection string' }],
    examples: ['psql "$(svc db connect handbook -q)"'],
    load: async () => (await import('./databases.ts')).connect,
  },
  {
    path: 'db psql',
    summary: 'Open a managed database in psql',
    description:
      'Open a managed database in psql, which must be installed on this machine. Arguments after `--` are passed to psql. The exit code is that of psql. Each use is recorded in the audit log.',
    arguments: [
      NAME,
      { name: 'args', optional: true, repeat: true, passedTo: 'psql', summary: 'arguments for psql, after --' },
    ],
    output: false,
    examples: ['svc db psql handbook', 'svc db psql handbook -- -c "select count(*) from articles"'],
    load: () => import('./psql.ts'),
  },
  {
    path: 'db dump',
    summary: 'Print a managed database as SQL',
    description:
      'Print schema and rows of a managed database as of one moment, as SQL for `psql -f`. Owners and privileges are left out. The exit code is not 0 if the dump is not complete. Needs the role owner. Each dump is recorded in the audit log.',
    arguments: [NAME],
    output: false,
    examples: ['svc db dump handbook > handbook.sql'],
    load: () => import('./dump.ts'),
  },
  {
    path: 'db embed',
    summary: 'Fill the vector column of a table',
    description:
      'Fill the vector column of a table in a managed database: read the rows without a vector over your own connection, send their text to the AI gateway, and write the vectors back. Run it again to continue where it stopped. Vectors that exist are not changed. It records the model in the comment of a column that had no vectors. With --switch it changes the model by which a data source answers: it fills a column of its own, builds the index, asks your questions of both models, shows the difference and then switches in one step. Each use is recorded in the audit log.',
    arguments: [NAME],
    options: [
      { name: 'table', value: 'name', summary: 'table, as name or schema.name' },
      { name: 'text', value: 'columns', summary: 'columns whose text is embedded, with commas between them' },
      {
        name: 'column',
        value: 'name',
        summary: 'vector column (default: embedding); with --switch the one that is replaced',
      },
      { name: 'model', value: 'name', summary: 'embedding model, such as builtin/all-minilm-l6-v2' },
      { name: 'dry-run', summary: 'only check and count; send and write nothing' },
      { name: 'watch', short: 'w', summary: 'go on with new rows until Ctrl-C' },
      { name: 'switch', summary: 'answer questions by --model from now on; the old column stays' },
      { name: 'questions', value: 'file', summary: 'file of `svc datasource test` that both models are compared with' },
      { name: 'without-questions', summary: 'switch without a comparison' },
      { name: 'force', summary: 'switch although rows are missing or fewer expected ids are found' },
      { name: 'drop-old', summary: 'drop the vector columns that a switch left behind' },
    ],
    confirms: true,
    examples: [
      'svc db embed handbook --table public.articles --text title,body --model builtin/all-minilm-l6-v2',
      'svc db embed handbook --table articles --text title,body --column embedding --model openai/text-embedding-3-small --dry-run',
      'svc db embed handbook --table articles --text title,body --model openai/text-embedding-3-small --switch --questions questions.yaml',
      'svc db embed handbook --table articles --drop-old',
    ],
    load: () => import('./embed/embed.ts'),
  },
  {
    path: 'db drop',
    summary: 'Drop a managed database',
    description:
      'Drop a managed database and everything in it. This cannot be undone. Refused while the database is exposed as a data source. Needs the role admin or owner.',
    arguments: [NAME],
    confirms: true,
    examples: ['svc db drop handbook', 'svc db drop handbook --yes'],
    load: async () => (await import('./databases.ts')).drop,
  },
]

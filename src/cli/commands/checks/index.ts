import { type Argument, type Command, LIMIT, type Option } from '../../command/command.ts'

const ALIAS: Argument = { name: 'alias', completes: 'apps', summary: 'alias of the app' }
const CHECK: Argument = { name: 'check', inApp: 'checks', summary: 'name or id from `svc checks list`' }

/** Options that define a check. Each belongs to some kinds, which its text names. */
const DEFINITION: readonly Option[] = [
  { name: 'target', value: 'path', summary: 'http: path at the app, or an address with https://' },
  {
    name: 'status',
    field: 'expected_status',
    value: 'n',
    range: [100, 599],
    summary: 'http: the status to expect (default: 200 to 399)',
  },
  { name: 'contains', value: 'text', summary: 'http: text that the answer must contain; "" for none' },
  {
    name: 'within',
    field: 'timeout_seconds',
    value: 'seconds',
    range: [1, 30],
    summary: 'http: time for the answer (default: 10)',
  },
  { name: 'text', value: 'words', summary: 'log: words that a line must contain; "" for any line' },
  {
    name: 'level',
    value: 'level',
    choices: ['debug', 'info', 'warn', 'error'],
    summary: 'log and agent: this level and above',
  },
  { name: 'max', field: 'max_count', value: 'n', range: [0, 10_000], summary: 'log: fail if more lines match' },
  { name: 'min', field: 'min_count', value: 'n', range: [0, 10_000], summary: 'log: fail if fewer lines match' },
  { name: 'instructions', value: 'text', summary: 'agent: what the model judges, and when the check fails' },
  { name: 'model', value: 'name', summary: 'agent: chat model, as provider/model' },
  { name: 'path', value: 'path', summary: 'agent: path at the app whose answer the model sees; "" for none' },
  {
    name: 'window',
    field: 'window_minutes',
    value: 'minutes',
    range: [1, 1440],
    summary: 'log and agent: how far back the log is read (default: 15)',
  },
]
const SCHEDULE: readonly Option[] = [
  {
    name: 'every',
    field: 'every_minutes',
    value: 'minutes',
    range: [1, 1440],
    summary: 'run at this interval (default: 5, for agent 60)',
  },
  { name: 'cron', value: 'expression', summary: 'run at these times instead: minute, hour, day, month, weekday' },
  { name: 'timezone', value: 'name', summary: 'timezone of --cron (default: UTC)' },
  { name: 'threshold', value: 'n', range: [1, 100], summary: 'fails in a row until it counts as failed (default: 1)' },
]

export const checks: readonly Command[] = [
  {
    path: 'checks list',
    summary: 'List the checks of an app',
    description: 'List the checks of an app with their states, newest first.',
    arguments: [ALIAS],
    options: [LIMIT],
    examples: ['svc checks list hello'],
    load: async () => (await import('./checks.ts')).list,
  },
  {
    path: 'checks show',
    summary: 'Show a check',
    description: 'Show what a check looks at, when it runs and in which state it is.',
    arguments: [ALIAS, CHECK],
    examples: ['svc checks show hello "Front page"'],
    load: async () => (await import('./checks.ts')).show,
  },
  {
    path: 'checks create',
    summary: 'Create a check of an app',
    description:
      'Create a check. With an interval it runs at once. A check of kind http asks a path of the app or an address, one of kind log counts lines of the log, and one of kind agent lets a model judge the log.',
    arguments: [ALIAS, { name: 'name', summary: 'name of the check, unique in the app' }],
    options: [
      { name: 'kind', value: 'kind', choices: ['http', 'log', 'agent'], summary: 'what it looks at (default: http)' },
      ...DEFINITION,
      ...SCHEDULE,
    ],
    examples: [
      'svc checks create hello "Front page" --target / --every 5 --threshold 2',
      'svc checks create hello "No errors" --kind log --level error --max 3 --window 30',
      'svc checks create hello "Backup ran" --kind log --text "backup done" --min 1 --window 1440 --cron "0 6 * * *"',
    ],
    load: () => import('./create.ts'),
  },
  {
    path: 'checks change',
    summary: 'Change a check',
    description:
      'Change a check. What you do not give stays as it is. A run that began before the change does not count any more.',
    arguments: [ALIAS, CHECK],
    options: [{ name: 'name', value: 'text', summary: 'new name' }, ...DEFINITION, ...SCHEDULE],
    examples: ['svc checks change hello "Front page" --every 1 --threshold 3'],
    load: () => import('./change.ts'),
  },
  {
    path: 'checks pause',
    summary: 'Pause a check',
    description: 'Stop running a check on schedule. Its history stays, and it emits no events until you resume it.',
    arguments: [ALIAS, CHECK],
    examples: ['svc checks pause hello "Front page"'],
    load: async () => (await import('./checks.ts')).pause,
  },
  {
    path: 'checks resume',
    summary: 'Resume a paused check',
    arguments: [ALIAS, CHECK],
    examples: ['svc checks resume hello "Front page"'],
    load: async () => (await import('./checks.ts')).resume,
  },
  {
    path: 'checks delete',
    summary: 'Delete a check',
    description: 'Delete a check with its history. This cannot be undone.',
    arguments: [ALIAS, CHECK],
    confirms: true,
    examples: ['svc checks delete hello "Front page"', 'svc checks delete hello "Front page" --yes'],
    load: async () => (await import('./checks.ts')).remove,
  },
  {
    path: 'checks run',
    summary: 'Run a check now',
    description:
      'Run a check now and print its verdict. Exits with 0 if it passes and with 1 otherwise. With --no-wait, print the run that was queued and exit.',
    arguments: [ALIAS, CHECK],
    options: [{ name: 'no-wait', summary: 'do not wait for the verdict' }],
    examples: ['svc checks run hello "Front page"'],
    load: () => import('./run.ts'),
  },
  {
    path: 'checks history',
    summary: 'List the runs of a check',
    description: 'List the runs of a check with their verdicts, newest first.',
    arguments: [ALIAS, CHECK],
    options: [LIMIT],
    examples: ['svc checks history hello "Front page" --limit 20'],
    load: async () => (await import('./checks.ts')).history,
  },
]

import { type Command, LIMIT } from '../../command/command.ts'

export const functions: readonly Command[] = [
  {
    path: 'functions list',
    summary: 'List functions that you can call',
    description:
      'List the functions of the apps of your organization, and whether a worker that runs them is connected.',
    options: [
      { name: 'app', field: 'alias', value: 'alias', completes: 'apps', summary: 'only functions of this app' },
      LIMIT,
    ],
    examples: ['svc functions list', 'svc functions list --app shop --json'],
    load: async () => (await import('./functions.ts')).list,
  },
  {
    path: 'functions call',
    summary: 'Call a function',
    description: 'Call a function of an app and print its result. Ctrl-C cancels the call.',
    arguments: [
      { name: 'app', field: 'alias', completes: 'apps', summary: 'alias of the app' },
      { name: 'name', inApp: 'functions', summary: 'name from `svc functions list`' },
    ],
    options: [
      {
        name: 'data',
        field: 'arguments',
        short: 'd',
        value: 'arguments',
        summary: 'JSON object of arguments; @file reads it from a file, - from standard input',
      },
    ],
    examples: [
      'svc functions call shop greet --data \'{"name": "Ada"}\'',
      'svc functions call shop import --data @rows.json --json',
    ],
    load: () => import('./call.ts'),
  },
  {
    path: 'functions invocations',
    summary: 'List calls of functions',
    description:
      'List who called which function when, and how it ended, newest first. Admins and owners see all calls, others their own. Arguments and results are not stored.',
    options: [LIMIT],
    examples: ['svc functions invocations', 'svc functions invocations --limit 20 --json'],
    load: async () => (await import('./functions.ts')).invocations,
  },
]

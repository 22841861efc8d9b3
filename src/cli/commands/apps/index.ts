import { type Argument, type Command, LIMIT, type Option } from '../../command/command.ts'

const ALIAS: Argument = { name: 'alias', completes: 'apps', summary: 'alias from `svc apps list`' }
const PERSON: Argument = { name: 'person', summary: 'user id, or an email address if you may list members' }

const SETTINGS: readonly Option[] = [
  { name: 'name', value: 'text', summary: 'name that people see' },
  { name: 'build', field: 'build_command', value: 'command', summary: 'command that builds the app; "" for none' },
  {
    name: 'start',
    field: 'start_command',
    value: 'command',
    summary: 'command that starts the app, which must listen on $PORT; "" for none',
  },
  { name: 'health-path', value: 'path', summary: 'path that answers 200 to 399 when the app is healthy' },
]

const people: readonly Command[] = [
  {
    path: 'apps people list',
    summary: 'List the people of an app',
    description:
      'List the people who have a part in an app. Owners and admins of the organization may do everything in every app and are not listed.',
    arguments: [ALIAS],
    examples: ['svc apps people list hello'],
    load: async () => (await import('./people/people.ts')).list,
  },
  {
    path: 'apps people add',
    summary: 'Give a person a part in an app',
    description:
      'Give a member of the organization a part in an app, or change the part that the person has. Needs the role admin or owner, or the part administrator.',
    arguments: [ALIAS, PERSON],
    options: [
      {
        name: 'part',
        value: 'part',
        choices: ['builder', 'maintainer', 'administrator'],
        summary: 'what the person may do (default: builder)',
      },
    ],
    examples: ['svc apps people add hello ada@example.com --part maintainer'],
    load: async () => (await import('./people/people.ts')).add,
  },
  {
    path: 'apps people remove',
    summary: 'Remove a person from an app',
    description:
      "Remove a person's part in an app. The person stays a member of the organization. Needs the role admin or owner, or the part administrator.",
    arguments: [ALIAS, PERSON],
    examples: ['svc apps people remove hello ada@example.com'],
    load: async () => (await import('./people/people.ts')).remove,
  },
]

const FINDING = { name: 'finding', summary: 'fingerprint of the finding, or at least its first 8 characters' } as const

const maintenance: readonly Command[] = [
  {
    path: 'apps maintenance status',
    summary: 'Show the maintenance agent of an app',
    description: 'Show the settings of the maintenance agent for an app, and its latest run.',
    arguments: [ALIAS],
    examples: ['svc apps maintenance status hello', 'svc apps maintenance status hello --json'],
    load: async () => (await import('./maintenance/maintenance.ts')).status,
  },
  {
    path: 'apps maintenance enable',
    summary: 'Switch the maintenance agent on for an app',
    description:
      'Switch the maintenance agent on for an app. The organization must have switched it on before. Needs the role admin or owner.',
    arguments: [ALIAS],
    confirms: true,
    examples: ['svc apps maintenance enable hello --yes'],
    load: async () => (await import('./maintenance/maintenance.ts')).enable,
  },
  {
    path: 'apps maintenance disable',
    summary: 'Switch the maintenance agent off for an app',
    description:
      'Switch the maintenance agent off for an app. A run that is under way stops at once. Needs the role admin or owner.',
    arguments: [ALIAS],
    confirms: true,
    examples: ['svc apps maintenance disable hello --yes'],
    load: async () => (await import('./maintenance/maintenance.ts')).disable,
  },
  {
    path: 'apps maintenance run',
    summary: 'Run the maintenance agent on an app',
    description:
      'Run the maintenance agent on an app and wait for the result. Exits with 0 if nothing was found, and with 11 if a finding was recorded. Needs the role admin or owner.',
    arguments: [ALIAS],
    options: [
      { name: 'follow', summary: 'print each change of status; with --json one document a line' },
      { name: 'async', summary: 'print the execution id and do not wait' },
      {
        name: 'idempotency-key',
        value: 'key',
        summary: 'repeat a command without starting a second run: the same key shows the first',
      },
    ],
    examples: ['svc apps maintenance run hello --follow', 'svc apps maintenance run hello --follow --json'],
    load: () => import('./maintenance/run.ts'),
  },
  {
    path: 'apps maintenance runs',
    summary: 'List the maintenance runs of an app',
    description: 'List the maintenance runs of an app, newest first.',
    arguments: [ALIAS],
    options: [LIMIT],
    examples: ['svc apps maintenance runs hello --limit 10'],
    load: () => import('./maintenance/runs.ts'),
  },
  {
    path: 'apps maintenance findings',
    summary: 'List what the maintenance agent found in an app',
    description:
      'List what the maintenance agent found in an app, last seen first. Closed and dismissed findings are shown too.',
    arguments: [ALIAS],
    examples: ['svc apps maintenance findings hello', 'svc apps maintenance findings hello --json'],
    load: async () => (await import('./maintenance/findings.ts')).list,
  },
  {
    path: 'apps maintenance finding',
    summary: 'Show a finding and the lines that show it',
    description:
      'Show a finding: what it means, where to look, and the lines of the log or runs of a check that show it.',
    arguments: [ALIAS, FINDING],
    examples: ['svc apps maintenance finding hello 3f2504e04f89'],
    load: async () => (await import('./maintenance/findings.ts')).show,
  },
  {
    path: 'apps maintenance dismiss',
    summary: 'Dismiss a finding',
    description:
      'Dismiss a finding that is no fault. Later runs do not report it again. Needs the role admin or owner.',
    arguments: [ALIAS, FINDING],
    options: [{ name: 'reason', value: 'text', summary: 'why it is no fault, for those who read it later (required)' }],
    examples: ['svc apps maintenance dismiss hello 3f2504e04f89 --reason "Known, until the move in May"'],
    load: async () => (await import('./maintenance/findings.ts')).dismiss,
  },
  {
    path: 'apps maintenance reopen',
    summary: 'Take the dismissal of a finding back',
    description: 'Take the dismissal of a finding back, so that runs report it again. Needs the role admin or owner.',
    arguments: [ALIAS, FINDING],
    examples: ['svc apps maintenance reopen hello 3f2504e04f89'],
    load: async () => (await import('./maintenance/findings.ts')).reopen,
  },
]

const PROPOSAL = { name: 'proposal-id', summary: 'id of the proposal, such as pr_…' } as const
const deciding = { arguments: [ALIAS, PROPOSAL], confirms: true } as const

const proposals: readonly Command[] = [
  {
    path: 'apps proposals list',
    summary: 'List the proposals of the maintenance agent',
    description:
      'List the changes that the maintenance agent proposes for an app, newest first. With the model builtin/detectors it proposes none.',
    arguments: [ALIAS],
    options: [LIMIT],
    examples: ['svc apps proposals list hello', 'svc apps proposals list hello --json'],
    load: async () => (await import('./proposals/proposals.ts')).list,
  },
  {
    path: 'apps proposals show',
    summary: 'Show a proposal and what you may do with it',
    description: 'Show a proposal, how it was checked, and whether you may approve or deny it, and why not.',
    arguments: [ALIAS, PROPOSAL],
    options: [{ name: 'diff', summary: 'also print the difference to the live revision, and what its test wrote' }],
    examples: ['svc apps proposals show hello pr_01k --diff', 'svc apps proposals show hello pr_01k --diff --json'],
    load: () => import('./proposals/show.ts'),
  },
  {
    ...deciding,
    path: 'apps proposals approve',
    summary: 'Approve a proposal and deploy it',
    description:
      'Approve a proposal, which queues its deploy. Needs the role admin or owner, and another person than the one who started the run, if there is one.',
    examples: ['svc apps proposals approve hello pr_01k --yes'],
    load: () => import('./proposals/approve.ts'),
  },
  {
    ...deciding,
    path: 'apps proposals deny',
    summary: 'Deny a proposal',
    description:
      'Deny a proposal. The app stays as it is, and the change is not proposed again while its file is the same. Needs the role admin or owner.',
    examples: ['svc apps proposals deny hello pr_01k --yes'],
    load: async () => (await import('./proposals/proposals.ts')).deny,
  },
  {
    ...deciding,
    path: 'apps proposals retry',
    summary: 'Validate a proposal again',
    description:
      'Make the change of a proposal that is superseded, not valid or failed to deploy again, of the revision that is live now. Needs the role admin or owner.',
    examples: ['svc apps proposals retry hello pr_01k --yes'],
    load: async () => (await import('./proposals/proposals.ts')).retry,
  },
]

const env: readonly Command[] = [
  {
    path: 'apps env list',
    summary: 'List the environment variables of an app',
    description: 'List the names of the environment variables of an app. Values are never shown.',
    arguments: [ALIAS],
    examples: ['svc apps env list hello'],
    load: async () => (await import('./env/env.ts')).list,
  },
  {
    path: 'apps env set',
    summary: 'Set environment variables of an app',
    description:
      'Set environment variables of an app. They take effect when the app is next deployed or started again. A name without a value is asked for on a terminal, and elsewhere read from standard input, so that the value does not stay in your shell history.',
    arguments: [ALIAS, { name: 'variable', summary: 'NAME=value, or NAME alone for a secret', repeat: true }],
    examples: ['svc apps env set hello GREETING=Hello LANGUAGE=en', 'svc apps env set hello API_KEY < key.txt'],
    load: async () => (await import('./env/env.ts')).set,
  },
  {
    path: 'apps env unset',
    summary: 'Remove environment variables of an app',
    description:
      'Remove environment variables of an app. This takes effect when the app is next deployed or started again.',
    arguments: [ALIAS, { name: 'name', summary: 'name of a variable', repeat: true }],
    examples: ['svc apps env unset hello LANGUAGE'],
    load: async () => (await import('./env/env.ts')).unset,
  },
]

const revisions: readonly Command[] = [
  {
    path: 'apps deploy',
    summary: 'Deploy a folder',
    description:
      'Upload the files of a folder as a new revision and deploy it. Only files that are not stored yet are sent. What `.gitignore` and `.svcignore` name is left out, and so are `.git`, `node_modules`, `.env` and links; `.svcignore` has the syntax of `.gitignore` and can take files back with `!`. With --follow, print the build until the app is live, and exit with 1 if the deploy fails.',
    arguments: [ALIAS],
    options: [
      { name: 'dir', value: 'folder', summary: 'folder with the source (default: this folder)' },
      { name: 'message', short: 'm', value: 'text', summary: 'says what changed' },
      { name: 'follow', short: 'f', summary: 'wait until the app is live or the deploy has failed' },
    ],
    examples: ['svc apps deploy hello --dir . --follow'],
    load: () => import('./deploy.ts'),
  },
  {
    path: 'apps revisions list',
    summary: 'List the revisions of an app',
    description: 'List the uploaded revisions of an app, newest first.',
    arguments: [ALIAS],
    options: [LIMIT],
    examples: ['svc apps revisions list hello'],
    load: async () => (await import('./revisions/revisions.ts')).list,
  },
  {
    path: 'apps diff',
    summary: 'Compare two revisions of an app',
    description: 'Print what changed in a revision, compared with another one or with the one created before it.',
    arguments: [
      ALIAS,
      { name: 'revision', summary: 'revision id from `svc apps revisions list`' },
      { name: 'base', summary: 'revision to compare with', optional: true },
    ],
    examples: ['svc apps diff hello rev_01k9zzz'],
    load: async () => (await import('./revisions/revisions.ts')).diff,
  },
]

export const apps: readonly Command[] = [
  {
    path: 'apps list',
    summary: 'List apps',
    description: 'List the apps of the organization. Below the role developer, list those in which you have a part.',
    options: [LIMIT],
    examples: ['svc apps list'],
    load: async () => (await import('./apps.ts')).list,
  },
  {
    path: 'apps create',
    summary: 'Create an app',
    description: 'Create an app. You become its administrator. Nothing runs until you deploy it.',
    arguments: [{ name: 'alias', summary: 'lower-case letters, digits and single hyphens, at most 30 characters' }],
    options: SETTINGS,
    examples: ['svc apps create hello --start "node server.js"'],
    load: async () => (await import('./apps.ts')).create,
  },
  {
    path: 'apps show',
    summary: 'Show an app',
    description: 'Show the address, the settings and the deploys of an app.',
    arguments: [ALIAS],
    examples: ['svc apps show hello'],
    load: async () => (await import('./apps.ts')).show,
  },
  {
    path: 'apps change',
    summary: 'Change the settings of an app',
    description:
      'Change the name or the settings of an app. What you do not give stays as it is. Settings take effect with the next deploy. Needs the role admin or owner, or the part administrator.',
    arguments: [ALIAS],
    options: SETTINGS,
    examples: ['svc apps change hello --health-path /healthz'],
    load: async () => (await import('./apps.ts')).change,
  },
  {
    path: 'apps delete',
    summary: 'Delete an app',
    description:
      'Stop an app and delete it with everything that belongs to it, such as revisions, logs and tickets. This cannot be undone. Needs the role admin or owner, or the part administrator.',
    arguments: [ALIAS],
    confirms: true,
    examples: ['svc apps delete hello', 'svc apps delete hello --yes'],
    load: async () => (await import('./apps.ts')).remove,
  },
  ...revisions,
  {
    path: 'apps deploys',
    summary: 'List the deploys of an app',
    description: 'List the deploys of an app, newest first, with why a failed one failed.',
    arguments: [ALIAS],
    options: [LIMIT],
    examples: ['svc apps deploys hello'],
    load: async () => (await import('./deploys.ts')).list,
  },
  {
    path: 'apps rollback',
    summary: 'Return to an earlier revision of an app',
    description:
      'Deploy an earlier revision of an app again: the one that was live before, or the one you name. It is an ordinary deploy, so the app serves until it is live.',
    arguments: [ALIAS],
    options: [
      { name: 'revision', field: 'revision_id', value: 'id', summary: 'revision from `svc apps revisions list`' },
      { name: 'follow', short: 'f', summary: 'wait until it is live or has failed' },
    ],
    examples: ['svc apps rollback hello --follow'],
    load: async () => (await import('./deploys.ts')).rollback,
  },
  {
    path: 'apps logs',
    summary: 'Show or follow the logs of an app',
    description:
      'Show the newest lines of an app, oldest of them first, or follow them with --follow until Ctrl-C. With -o json, --follow prints one JSON object a line.',
    arguments: [ALIAS],
    options: [
      { name: 'follow', short: 'f', summary: 'show new lines as they come' },
      { name: 'text', value: 'words', summary: 'only lines that contain these words' },
      { name: 'level', value: 'level', choices: ['debug', 'info', 'warn', 'error'], summary: 'this level and above' },
      { name: 'since', value: 'time', summary: 'a time, or how long ago: 15m, 2h, 7d' },
      { name: 'until', value: 'time', summary: 'a time, or how long ago' },
      { name: 'deploy', field: 'deploy_id', value: 'id', summary: 'only lines of this deploy' },
      { name: 'lines', value: 'n', range: [0, 1000], summary: 'lines to show (default: 100, with --follow 20)' },
    ],
    examples: ['svc apps logs hello --level error --since 2h', 'svc apps logs hello --follow'],
    load: () => import('./logs.ts'),
  },
  ...people,
  ...env,
  ...maintenance,
  ...proposals,
]

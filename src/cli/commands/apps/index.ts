import { type Command, LIMIT, type Option } from '../../command/command.ts'
import { ALIAS } from './alias.ts'
import { env } from './env/index.ts'
import { maintenance } from './maintenance/index.ts'
import { people } from './people/index.ts'
import { proposals } from './proposals/index.ts'
import { revisions } from './revisions/index.ts'

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

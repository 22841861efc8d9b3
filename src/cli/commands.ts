import type { Command, Table } from './command.ts'
import { agents } from './commands/agents/index.ts'
import { context } from './commands/context/index.ts'
import { datasource } from './commands/datasource/index.ts'
import { db } from './commands/db/index.ts'
import { notifications } from './commands/notifications/index.ts'
import { skillPrompt, skills } from './commands/skills/index.ts'
import { tokens } from './commands/tokens/index.ts'

const account: readonly Command[] = [
  {
    path: 'login',
    summary: 'Log in to an instance',
    description:
      'Log in to an instance and keep the login as a context. The key is tried before it is kept. Without options it takes the instance that runs on this folder (`.svc`, or SVC_DATA_DIR). The first login becomes the current one; later ones are added, and `svc context use` switches.',
    options: [
      { name: 'api-url', value: 'url', summary: 'address of the instance' },
      { name: 'api-key', value: 'key', summary: 'your API key; it stays in the history of your shell' },
      { name: 'api-key-stdin', summary: 'read the key from standard input' },
      { name: 'context', value: 'name', summary: 'name for this login (default: the host of the address)' },
      { name: 'timeout', value: 'seconds', range: [1, 3600], summary: 'give up after so long (default: 30)' },
    ],
    output: true,
    examples: ['svc login', 'svc login --api-url https://svc.example.com --api-key-stdin < key.txt'],
    load: () => import('./commands/login.ts'),
  },
  {
    path: 'logout',
    summary: 'Forget the current login',
    description:
      'Forget the current login, or the one of --context, on this machine. Its API key stays valid without --revoke.',
    options: [{ name: 'revoke', summary: 'revoke its API key at the instance first' }],
    login: true,
    examples: ['svc logout', 'svc logout --revoke'],
    load: () => import('./commands/logout.ts'),
  },
  {
    path: 'status',
    summary: 'Show whether and as whom you are logged in',
    description:
      'Show whether and as whom you are logged in. Exits 0 when the login works, 3 when there is none or it is refused.',
    output: true,
    login: true,
    examples: ['svc status --json'],
    load: () => import('./commands/status.ts'),
  },
  {
    path: 'console',
    summary: 'Sign in to the web console',
    description:
      'Open the sign-in of the web console in a browser, or print its address where there is none. For an instance on this folder it also prints the one-time code that the page asks for.',
    options: [{ name: 'no-browser', summary: 'print the address and open nothing' }],
    output: true,
    login: true,
    examples: ['svc console', 'svc console --no-browser'],
    load: () => import('./commands/console.ts'),
  },
]

const general: readonly Command[] = [
  {
    path: 'api',
    summary: 'Call the HTTP API as your login',
    description:
      'Call any path of the HTTP API as your login and print what it answers. A refusal is printed too, and exits as any other command would.',
    arguments: [
      { name: 'method', summary: 'GET, POST, PUT, PATCH, DELETE or HEAD' },
      { name: 'path', summary: 'begins with a slash: /api/v1/me' },
    ],
    options: [
      {
        name: 'data',
        short: 'd',
        value: 'body',
        summary: 'JSON to send; @file reads it from a file, - from standard input',
      },
      {
        name: 'header',
        short: 'H',
        value: 'name: value',
        repeat: true,
        summary: 'a header of your own; repeat it for more',
      },
      { name: 'include', short: 'i', summary: 'print status and headers first' },
    ],
    login: true,
    examples: [
      'svc api GET /api/v1/me',
      'svc api GET "/api/activity?type=data_sources&limit=20"',
      'svc api PUT /api/wf/data-sources/db_handbook --data @search.json',
      'svc api GET /api/wf/slim/data-sources -i --header "Accept: application/yaml"',
    ],
    load: () => import('./commands/api.ts'),
  },
  {
    path: 'completion',
    summary: 'Print the completion script of a shell',
    arguments: [{ name: 'shell', summary: 'the shell it is for', choices: ['bash', 'zsh', 'fish'] }],
    examples: ['source <(svc completion bash)', 'svc completion fish > ~/.config/fish/completions/svc.fish'],
    load: () => import('./commands/completion.ts'),
  },
  {
    path: 'version',
    summary: 'Print the version',
    output: true,
    examples: ['svc version', 'svc version --json'],
    load: () => import('./commands/version.ts'),
  },
]

/** All there is. A new command is a row and a file with its `run`; a new group also a line in `groups`. */
export const TABLE: Table = {
  commands: [
    ...account,
    ...context,
    ...datasource,
    ...db,
    ...tokens,
    ...notifications,
    ...agents,
    ...skills,
    ...general,
  ],
  groups: [
    { path: 'context', summary: 'Switch between logins' },
    { path: 'datasource', summary: 'Ask the data sources of your organization' },
    { path: 'db', summary: 'Managed databases of your organization' },
    { path: 'tokens', summary: 'Your API tokens' },
    { path: 'notifications', summary: 'Your notifications' },
    { path: 'agents', summary: 'Agents you connected' },
    { path: 'skills', summary: 'What an agent should know of svc, as files' },
  ],
  rootOptions: [
    { name: 'help', short: 'h', summary: 'print this help, or that of a command' },
    { name: 'version', short: 'V', summary: 'print the version', load: () => import('./commands/version.ts') },
    ...skillPrompt,
  ],
}

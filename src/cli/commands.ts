import { COMPLETED, type Command, type Table } from './command/command.ts'
import { activity } from './commands/activity/index.ts'
import { agents } from './commands/agents/index.ts'
import { apps } from './commands/apps/index.ts'
import { checks } from './commands/checks/index.ts'
import { company } from './commands/company/index.ts'
import { context } from './commands/context/index.ts'
import { datasource } from './commands/datasource/index.ts'
import { db } from './commands/db/index.ts'
import { functions } from './commands/functions/index.ts'
import { invitations } from './commands/invitations/index.ts'
import { members } from './commands/members/index.ts'
import { notifications } from './commands/notifications/index.ts'
import { org } from './commands/org/index.ts'
import { pipelines } from './commands/pipelines/index.ts'
import { skillPrompt, skills } from './commands/skills/index.ts'
import { tickets } from './commands/tickets/index.ts'
import { tokens } from './commands/tokens/index.ts'

const account: readonly Command[] = [
  {
    path: 'login',
    summary: 'Log in to an instance',
    description:
      'Log in to an instance and save the login as a context. The key is checked before it is saved. Without options, log in to the instance in this folder (`.svc`, or SVC_DATA_DIR). The first login becomes the current context. Switch to a later one with `svc context use`.',
    options: [
      { name: 'api-url', value: 'url', summary: 'address of the instance' },
      { name: 'api-key', value: 'key', summary: 'your API key (it stays in your shell history)' },
      { name: 'api-key-stdin', summary: 'read the key from standard input' },
      { name: 'context', value: 'name', summary: 'name for this login (default: the host of the address)' },
      { name: 'timeout', value: 'seconds', range: [1, 3600], summary: 'give up after this many seconds (default: 30)' },
    ],
    login: false,
    examples: ['svc login', 'svc login --api-url https://svc.example.com --api-key-stdin < key.txt'],
    load: () => import('./commands/login.ts'),
  },
  {
    path: 'logout',
    summary: 'Remove the current login',
    description:
      'Remove the current login, or the one named by --context, from this machine. Its API key stays valid unless you use --revoke.',
    options: [{ name: 'revoke', summary: 'also revoke its API key' }],
    output: false,
    examples: ['svc logout', 'svc logout --revoke'],
    load: () => import('./commands/logout.ts'),
  },
  {
    path: 'status',
    summary: 'Show your login',
    description:
      'Show whether you are logged in, where and as whom, and whether your organization is going to be deleted. Exits with 0 if the login works, and with 3 if there is none or it is refused.',
    examples: ['svc status --json'],
    load: () => import('./commands/status.ts'),
  },
  {
    path: 'console',
    summary: 'Sign in to the web console',
    description:
      'Open the sign-in page of the web console in a browser, or print its address if there is no browser. For the instance in this folder it is a link that signs you in once.',
    options: [{ name: 'no-browser', summary: 'only print the address' }],
    examples: ['svc console', 'svc console --no-browser'],
    load: () => import('./commands/console.ts'),
  },
]

const general: readonly Command[] = [
  {
    path: 'api',
    summary: 'Call the HTTP API with your login',
    description:
      'Call any path of the HTTP API with your login and print the answer. Errors are printed too, with the exit code that any other command would give.',
    arguments: [
      { name: 'method', summary: 'GET, POST, PUT, PATCH, DELETE or HEAD' },
      { name: 'path', summary: 'path that begins with a slash, as in /api/v1/me' },
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
        summary: 'header to send; repeat it for more',
      },
      { name: 'include', short: 'i', summary: 'print the status and the headers first' },
    ],
    output: false,
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
    summary: 'Print a shell completion script',
    description:
      'Print a completion script for your shell. It completes commands, options and, by asking the instance of the current login, names such as those of databases, data sources and apps.',
    arguments: [{ name: 'shell', summary: 'shell', choices: ['bash', 'zsh', 'fish'] }],
    output: false,
    login: false,
    examples: ['source <(svc completion bash)', 'svc completion fish > ~/.config/fish/completions/svc.fish'],
    load: () => import('./commands/completion.ts'),
  },
  {
    path: 'complete',
    summary: 'Print the names that completion offers',
    description:
      'Print the names of contexts or of things in the instance of the current login, one a line, for completion scripts. Prints nothing if the instance does not answer within two seconds.',
    arguments: [{ name: 'kind', summary: 'kind of thing', choices: COMPLETED }],
    output: false,
    login: false,
    examples: ['svc complete contexts'],
    load: () => import('./commands/complete.ts'),
  },
  {
    path: 'upgrade',
    summary: 'Compare your version with that of the instance',
    description:
      'Compare the version of this client with the version that the instance reports. Nobody else is asked, and nothing is installed. Exits with 0 if the client is as new as the instance or newer, and with 11 if the instance is newer.',
    options: [{ name: 'check', summary: 'only compare; required, because svc does not upgrade itself' }],
    examples: ['svc upgrade --check', 'svc upgrade --check --json'],
    load: () => import('./commands/upgrade.ts'),
  },
  {
    path: 'version',
    summary: 'Print the version',
    login: false,
    examples: ['svc version', 'svc version --json'],
    load: () => import('./commands/version.ts'),
  },
]

/** All commands. A new command is a row here and a file that exports `run`. A new group is also a row in `groups`. */
export const TABLE: Table = {
  commands: [
    ...account,
    ...context,
    ...datasource,
    ...db,
    ...apps,
    ...tickets,
    ...checks,
    ...pipelines,
    ...functions,
    ...activity,
    ...org,
    ...members,
    ...invitations,
    ...tokens,
    ...notifications,
    ...agents,
    ...company,
    ...skills,
    ...general,
  ],
  groups: [
    { path: 'context', summary: 'Switch between logins' },
    { path: 'datasource', summary: 'Ask data sources questions and expose them' },
    { path: 'db', summary: 'Create and use managed databases' },
    { path: 'apps', summary: 'Create, deploy and watch apps' },
    { path: 'apps revisions', summary: 'Look at uploaded revisions of an app' },
    { path: 'apps people', summary: 'Manage who has a part in an app' },
    { path: 'apps env', summary: 'Manage the environment variables of an app' },
    { path: 'apps maintenance', summary: 'Run the maintenance agent on an app' },
    { path: 'apps proposals', summary: 'Decide about changes that the maintenance agent proposes' },
    { path: 'tickets', summary: 'File tickets on apps and answer them' },
    { path: 'checks', summary: 'Watch an app and be told when something changes' },
    { path: 'pipelines', summary: 'Run and watch the pipelines of apps' },
    { path: 'functions', summary: 'Call functions of apps' },
    { path: 'org', summary: 'Show, export or delete your organization' },
    { path: 'members', summary: 'Manage the members of your organization' },
    { path: 'invitations', summary: 'Invite people to your organization' },
    { path: 'tokens', summary: 'Manage your API tokens' },
    { path: 'notifications', summary: 'Read notifications and choose what is sent where' },
    { path: 'notifications follows', summary: 'Choose which apps you are told about' },
    { path: 'notifications channels', summary: 'See where notifications of your organization can go' },
    { path: 'notifications subscriptions', summary: 'Choose which events go to which channel' },
    { path: 'notifications deliveries', summary: 'See what became of each event' },
    { path: 'agents', summary: 'Manage the agents you connected' },
    { path: 'company', summary: 'Let an identity provider connect agents for your people' },
    { path: 'skills', summary: 'Install skills that teach agents to use svc' },
  ],
  rootOptions: [
    { name: 'help', short: 'h', summary: 'print help' },
    { name: 'version', short: 'V', summary: 'print the version', load: () => import('./commands/version.ts') },
    ...skillPrompt,
  ],
}

/** A command of a guide, or all commands of the guide that match the pattern. */
type Entry = { readonly page: string; readonly command: string | RegExp }

const ENDLESS = 'goes on until a person ends it'
const CLUSTER = 'needs a Kubernetes cluster; test/chart and src/server/areas/apps/kubernetes test what it does'
const POSTGRES = "needs an operator's Postgres server"
const SLACK = 'needs Slack; src/server/areas/notifications/channels/chat/chat.test.ts uses a fake of it'
const FINDING = 'needs the fingerprint of a finding; src/cli/commands/apps/maintenance/maintenance.test.ts'
const FINDING_TRY = /^svc apps maintenance (?:finding|dismiss|reopen) /
const PROPOSAL = 'needs a proposal of a model; src/cli/commands/apps/proposals/proposals.test.ts'
const AGENT = 'needs an agent that a person connected in a browser; test/journeys/client.test.ts'
const RESEND = 'needs a message that could not be delivered; src/server/areas/notifications/ledger/resend.test.ts'
const TWO_TERMINALS = 'needs two terminals; src/cli/commands/notifications/webhook/webhook.test.ts runs both commands'
const WEBHOOK_TRY = /^svc notifications webhook-(?:receiver|sample http:\S+$)/

/** Commands that no test can run, each with the reason. */
export const NOT_RUN: readonly (Entry & { readonly reason: string })[] = [
  { page: 'README.md', command: 'npm ci && npm start', reason: 'installs packages from a registry; .ci/run does' },
  { page: 'README.md', command: 'npm ci && npm test', reason: 'runs this test, and installs packages; .ci/run does' },

  { page: 'docs/apps.md', command: 'svc apps logs hello --follow', reason: ENDLESS },

  { page: 'docs/cli.md', command: /^npm /, reason: 'installs a package for all; test/built/client.test.ts packs it' },
  { page: 'docs/cli.md', command: /completion zsh/, reason: 'needs zsh; src/cli/completion has its tests' },
  { page: 'docs/cli.md', command: 'svc login', reason: 'opens a browser; test/journeys/client.test.ts' },
  { page: 'docs/cli.md', command: /^svc console/, reason: 'opens a browser; test/journeys/client.test.ts' },
  { page: 'docs/cli.md', command: /psql/, reason: 'needs the program psql; src/cli/commands/manage.test.ts' },
  { page: 'docs/cli.md', command: /openai\/text-embedding-3-small/, reason: 'needs an account with that provider' },
  {
    page: 'docs/cli.md',
    command: /--drop-old/,
    reason: 'needs a column of a former model; src/cli/commands/db/embed/switch/switch.test.ts',
  },
  { page: 'docs/cli.md', command: 'svc apps logs hello --follow', reason: ENDLESS },
  { page: 'docs/cli.md', command: 'svc activity --type data_sources --watch', reason: ENDLESS },
  {
    page: 'docs/cli.md',
    command: /^svc pipelines delete/,
    reason: 'needs a pipeline that no worker declares any more; src/server/areas/pipelines/pipelines.test.ts',
  },
  { page: 'docs/cli.md', command: FINDING_TRY, reason: FINDING },
  { page: 'docs/cli.md', command: /^svc apps proposals (?!list)/, reason: PROPOSAL },
  { page: 'docs/cli.md', command: /^svc agents (?!list)/, reason: AGENT },
  { page: 'docs/cli.md', command: 'svc notifications list --follow', reason: ENDLESS },
  { page: 'docs/cli.md', command: /^svc notifications deliveries resend/, reason: RESEND },
  { page: 'docs/cli.md', command: WEBHOOK_TRY, reason: TWO_TERMINALS },

  {
    page: 'docs/connect-an-agent.md',
    command: /^(?:claude|codex|gemini|mcporter) /,
    reason: 'needs that agent; npm run test:agents installs each and connects it with test/agents/connect.ts',
  },

  {
    page: 'docs/data-sources.md',
    command: /openai\/text-embedding-3-small/,
    reason: 'needs an account with that provider; src/cli/commands/db/embed/switch/switch.test.ts',
  },

  { page: 'docs/database-servers.md', command: /^svc-server databases/, reason: `${POSTGRES}, and a second one` },

  { page: 'docs/kubernetes.md', command: /^(?:kubectl|helm|token=|hex\(\)|jwt=)/, reason: CLUSTER },
  { page: 'docs/kubernetes.md', command: /^curl/, reason: CLUSTER },
  { page: 'docs/kubernetes.md', command: /^podman/, reason: 'needs podman; npm run test:image builds the image' },

  { page: 'docs/maintenance.md', command: FINDING_TRY, reason: FINDING },
  { page: 'docs/maintenance.md', command: /^svc apps proposals (?!list)\S+ hello/, reason: PROPOSAL },

  { page: 'docs/notifications.md', command: /^curl -N|^svc notifications list --follow/, reason: ENDLESS },
  { page: 'docs/notifications.md', command: /^svc notifications deliveries resend/, reason: RESEND },
  { page: 'docs/notifications.md', command: /integrations\/chat/, reason: SLACK },
  { page: 'docs/notifications.md', command: /notifications\/chat-link/, reason: SLACK },
  {
    page: 'docs/notifications.md',
    command: /integrations\/forum/,
    reason: 'needs a Discourse forum; src/server/areas/notifications/channels/forum/forum.test.ts uses a fake of it',
  },

  {
    page: 'docs/operations.md',
    command: /^(?:age|cat) /,
    reason: 'needs the program age; src/lib/archive/archive.test.ts',
  },

  {
    page: 'docs/running.md',
    command: 'PORT=9090 svc-server start',
    reason: 'runs until it is ended, at a fixed port; src/server/process/start-fault.test.ts',
  },
  { page: 'docs/running.md', command: /^(?:export |svc-server start$|DATABASE_URL=)/, reason: POSTGRES },
  {
    page: 'docs/running.md',
    command: /\/opt\/svc|^useradd |^systemctl /,
    reason: 'changes the machine it runs on; test/artefacts.test.ts checks the unit',
  },
  { page: 'docs/running.md', command: 'docker compose up -d', reason: 'needs Docker; test/image.test.ts' },

  { page: 'docs/workload-identity.md', command: /^helm/, reason: CLUSTER },
  { page: 'docs/webhooks.md', command: WEBHOOK_TRY, reason: TWO_TERMINALS },
]

/** Commands that another test runs as they stand in the guide. */
export const RUN_BY: readonly (Entry & { readonly test: string })[] = [
  {
    page: 'docs/connect-an-agent.md',
    command: /^(?:[A-Z_]+=|curl |echo |npx @modelcontextprotocol\/inspector )/,
    test: 'test/journeys/connect.test.ts',
  },
  { page: 'README.md', command: /^npx svc /, test: 'test/journeys/readme.test.ts' },
  {
    page: 'docs/auth.md',
    command: 'node examples/identity-provider/start.js',
    test: 'src/server/areas/auth/sign-in/example-provider.test.ts',
  },
  {
    page: 'docs/maintenance.md',
    command: /^(?:node |curl )|\bcart\b|example\/fixer|--context ada/,
    test: 'test/journeys/maintenance-approve.test.ts',
  },
  // docs/apps.md has the same commands, and each deploy takes seconds.
  { page: 'docs/cli.md', command: /^svc apps (?:deploy|rollback) /, test: 'test/journeys/guides.test.ts' },
  { page: 'docs/data-sources.md', command: /^/, test: 'test/journeys/data-sources-page.test.ts' },
  { page: 'docs/leaving.md', command: /^svc org export/, test: 'test/journeys/organization-export.test.ts' },
  {
    page: 'docs/leaving.md',
    command: /^(?:svc db (?:dump|create)|psql) /,
    test: 'test/journeys/database-dump.test.ts',
  },
  { page: 'docs/operations.md', command: /^svc-server /, test: 'test/journeys/backup.test.ts' },
  { page: 'docs/cli.md', command: /^install -m 755/, test: 'test/built/artefacts.test.ts' },
  {
    page: 'docs/cli.md',
    command: /^(?:npm install -g |curl -fsSO? |sha256sum )/,
    test: 'test/journeys/client-from-instance.test.ts',
  },
  {
    page: 'docs/running.md',
    command: /svc-server-<version>|svc-server(?:\/bin| {1,2}--)/,
    test: 'test/built/artefacts.test.ts',
  },
  { page: 'docs/skills.md', command: /^npx skills add/, test: 'test/journeys/skills.test.ts' },
]

export function isListed({ page, text }: { page: string; text: string }, entry: Entry): boolean {
  const { command } = entry
  return entry.page === page && (typeof command === 'string' ? command === text : command.test(text))
}

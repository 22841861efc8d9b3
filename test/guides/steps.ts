import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { configureSource } from '#contract/data-sources/search-config.ts'
import { exposeSource } from '#contract/data-sources/sources.ts'
import { createWebhook } from '#contract/notifications/webhooks.ts'
import { GENERIC_ISSUER } from '#test/outside/fake-idp.ts'
import { entry, makeSource } from '#test/sources/configured-source.ts'
import { until, untilDone } from '#test/until.ts'
import { Reader } from './reader.ts'
import { blockOf, COLLEAGUE, type Scene } from './scene.ts'

type Step = (scene: Scene) => unknown

type Guide = {
  readonly page: string
  /** Texts that the reader replaces by their own. */
  readonly fill?: Readonly<Record<string, string>>
  /** Done before the command that begins like this, because the guide takes it for granted. */
  readonly before?: Readonly<Record<string, Step>>
  /** Exit codes besides 0 that the guide gives a meaning. */
  readonly exits?: Readonly<Record<string, number>>
  /** Answers that the reader types where a command that begins like this asks. */
  readonly answers?: Readonly<Record<string, string>>
  /** Works with logins instead of the variables SVC_API_URL and SVC_API_KEY. */
  readonly logins?: RegExp
}

const HELLO = ['hello', '--start', 'node server.js', '--health-path', '/healthz']
/** docs/apps.md ends with the deletion of the app. */
const createHello: Step = ({ svc }) => untilDone(() => svc('apps', 'create', ...HELLO))
const FRONT_PAGE = ['hello', 'Front page']

/** State that docs/cli.md takes for granted: it has the commands in the order of the table, not in the order of their use. */
const CLI_STEPS: Readonly<Record<string, Step>> = {
  'svc login --api-url': writeKey,
  'svc completion fish': ({ env }) => mkdirSync(join(env.HOME!, '.config', 'fish', 'completions'), { recursive: true }),
  'svc logout --revoke': logIn,
  'svc status --json': logIn,
  'svc datasource list': makeHandbook,
  'svc datasource test': ({ writeFile }) =>
    writeFile('questions.yaml', '- question: what if I have the flu?\n  expect: sick\n'),
  'svc datasource expose': ({ svc }) => svc('datasource', 'enable', 'handbook'),
  'svc apps create': deleteHello,
  'svc apps revisions list': async (scene) => {
    await createHello(scene)
    await deployHello(scene)
  },
  'svc apps maintenance run': ({ svc }) => svc('apps', 'maintenance', 'enable', 'hello', '--yes'),
  'svc tickets show': ({ svc }) => svc('tickets', 'file', 'hello', 'Greeting', '--body', 'It is wrong.'),
  'svc tickets file': ({ writeFile }) => writeFile('report.txt', 'It says nothing.'),
  'svc checks show': ({ svc }) => svc('checks', 'create', ...FRONT_PAGE, '--target', '/'),
  'svc checks create hello "Front page"': ({ svc }) => svc('checks', 'delete', ...FRONT_PAGE, '--yes'),
  'svc checks run': ({ svc }) => svc('checks', 'create', ...FRONT_PAGE, '--target', '/'),
  'svc functions call shop import': ({ writeFile }) => writeFile('rows.json', '{"rows": ["a"]}'),
  'svc company allow-agent': ({ svc }) =>
    svc('company', 'trust', GENERIC_ISSUER, '--scope', 'datasources:read', '--yes'),
  'svc api PUT': async (scene) => {
    await makeHandbook(scene)
    scene.writeFile('search.json', JSON.stringify(SEARCH))
  },
}

const ARTICLES = `
  create table articles (id text primary key, title text, body text, category text, embedding vector(384));
  insert into articles
  select id, title, title, category, array_fill(0.1, array[384])::vector
  from (values ('sick', 'Sick days', 'leave'), ('cars', 'Cars', 'travel')) as articles (id, title, category)`
const SEARCH = {
  connection_config: { embedding_configs: [entry({ label: 'articles' })] },
  filter_schema: { category: 'string' as const },
}

/** The guides whose commands the journey runs, in this order: later ones use what earlier ones created. */
export const GUIDES: readonly Guide[] = [
  { page: 'docs/ai-models.md', before: { 'curl ': ({ chat }) => chat.next.push({ text: 'Hello.' }) } },
  {
    page: 'docs/apps.md',
    answers: { 'svc apps delete hello': 'hello' },
    before: {
      'svc apps deploy hello --dir . --message': async ({ svc, addColleague }) => {
        await svc('apps', 'create', ...HELLO)
        await addColleague()
      },
      'svc apps deploy hello --dir . --follow': changeLiveApp,
    },
  },
  {
    page: 'docs/auth.md',
    fill: { 'https://id.example.com': GENERIC_ISSUER },
    answers: { 'svc company trust': 'yes' },
  },
  { page: 'docs/checks.md' },
  {
    page: 'docs/functions.md',
    before: { 'svc functions list': startWorker },
  },
  { page: 'docs/pipelines.md' },
  { page: 'docs/leaving.md', answers: { 'svc org delete': 'yes' } },
  { page: 'docs/tickets.md', before: { 'svc tickets file': createHello } },
  {
    page: 'docs/maintenance.md',
    before: { 'svc apps maintenance enable': deployHello },
    exits: { 'svc apps maintenance run': 11 },
  },
  {
    page: 'docs/notifications.md',
    before: {
      'curl "$URL/api/notifications/inbox?': receiveMessage,
      'curl "$URL/api/notifications/channels"': addWebhook,
    },
  },
  { page: 'docs/webhooks.md', fill: { Vf7Qk2Zp9xLw4TnB: 'Vf7Qk2Zp9xLw4TnC' } },
  { page: 'docs/running.md' },
  { page: 'docs/skills.md' },
  { page: 'docs/database-servers.md' },
  {
    page: 'docs/cli.md',
    logins: /^svc (?:login|logout|status|context|complete )/,
    fill: {
      'https://id.example.com': GENERIC_ISSUER,
      'svc db create handbook': 'svc db create notes',
      'hello nightly-report': 'shop nightly-report',
    },
    exits: { 'svc apps maintenance run': 11 },
    answers: { 'svc company trust': 'yes', 'svc org delete': 'yes' },
    before: CLI_STEPS,
  },
]

export const GUIDES_THAT_RUN = GUIDES.map(({ page }) => page)

/** The worker of docs/functions.md with the pipeline of docs/pipelines.md. */
async function startWorker({ startWorker: start, svc }: Scene): Promise<void> {
  const pipeline = `const writeReport = async () => {}\n${blockOf('docs/pipelines.md', 'js')}`
  const more = `worker.function('import', { input: z.object({ rows: z.array(z.string()) }) }, async () => ({ done: true }))`
  await start(blockOf('docs/functions.md', 'js').replace('await worker.start()', `${pipeline}${more}\n$&`))
  await until(async () => JSON.stringify(await svc('functions', 'list')).includes('"connected":true'))
}

/** A colleague files a ticket on an app that the owner follows. */
async function receiveMessage({ svc, system, addColleague }: Scene): Promise<void> {
  await svc('notifications', 'follows', 'set', 'shop', '--category', 'tickets')
  const token = await addColleague()
  await svc('apps', 'people', 'add', 'shop', COLLEAGUE, '--part', 'builder')
  const body = JSON.stringify({ title: 'Prices', body: 'They are wrong.' })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  await fetch(`${system.url}/api/deploy/deployments/shop/tickets`, { method: 'POST', headers, body })
  await until(async () => (await svc('notifications', 'list')).items[0])
}

async function addWebhook({ system, owner }: Scene): Promise<void> {
  const url = 'https://hooks.example.com/in/Vf7Qk2Zp9xLw4TnB'
  await system.client(owner.token).call(createWebhook, { url, name: 'First' })
}

async function makeHandbook({ system, owner }: Scene): Promise<void> {
  const client = system.client(owner.token)
  const { source_id } = await makeSource(client, 'handbook', ARTICLES)
  await client.call(configureSource, { id: source_id, ...SEARCH })
  await client.call(exposeSource, { id: source_id, exposed: true, min_role: 'viewer' })
}

async function deleteHello({ svc }: Scene): Promise<void> {
  await svc('apps', 'delete', 'hello', '--yes')
  const isGone = () =>
    svc('apps', 'show', 'hello').then(
      () => false,
      () => true,
    )
  await until(isGone)
}

/** Changes the source once the first deploy is live, so that there is a revision to go back to. */
async function changeLiveApp({ svc, writeFile }: Scene): Promise<void> {
  await until(async () => (await svc<{ live_deploy: object | null }>('apps', 'show', 'hello')).live_deploy)
  writeFile('changed.txt', 'another revision')
}

async function deployHello({ folder, env }: Scene): Promise<void> {
  await new Reader({ folder, env }).run('svc apps deploy hello --dir . --follow')
}

async function writeKey({ svc, writeFile }: Scene): Promise<void> {
  const { token } = await svc<{ token: string }>('tokens', 'create', 'laptop', '--expires-days', '1')
  writeFile('key.txt', token)
}

/** Adds a login with a token of its own, because a command revokes it. */
async function logIn(scene: Scene): Promise<void> {
  const { SVC_API_URL, SVC_API_KEY: _, ...env } = scene.env
  await writeKey(scene)
  await new Reader({ folder: scene.folder, env }).run(`svc login --api-url ${SVC_API_URL} --api-key-stdin < key.txt`)
}

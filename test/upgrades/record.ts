import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { prepareAsGuide, urlAs } from '#test/databases/guide-role.ts'
import { startOwnPostgres } from '#test/databases/own-postgres.ts'
import { startProcess, untilExample } from '#test/programs/processes.ts'
import { until } from '#test/until.ts'
import type { Environment } from '../../src/server/config/reader.ts'
import { packDataFolder } from './data-folder.ts'
import { callerOf, createEverything, createSource } from './fill.ts'
import { dumpPostgres } from './postgres-dump.ts'
import { filesOf, type Installation, POSTGRES_SECRETS, platformOf, type Recorded } from './recorded.ts'

/**
 * `node test/upgrades/record.ts [checkout]` records the data of a release: it starts the release in the checkout (by
 * default this one), uses it, stops it, and writes its data folder and a dump of its Postgres to a folder of its version.
 * SVC_TEST_DATABASE_URL names a Postgres whose programs it uses.
 */
const checkout = resolve(process.argv[2] ?? join(import.meta.dirname, '..', '..'))
const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { version: string }
const files = filesOf(version)
const start = (env: Environment) =>
  startProcess({ PORT: '0', ...env }, ['--max-semi-space-size=16', join(checkout, 'bin', 'start.js')], checkout)

function temporaryFolder(stack: AsyncDisposableStack): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-record-'))
  stack.defer(() => rmSync(folder, { recursive: true }))
  return folder
}

async function recordEmbedded(): Promise<Installation> {
  await using stack = new AsyncDisposableStack()
  const folder = join(temporaryFolder(stack), 'data')
  const server = stack.use(await start({ SVC_DATA_DIR: folder }))
  await untilExample(server)
  await until(() => existsSync(join(folder, 'example-app-made')))
  const first = JSON.parse(readFileSync(join(folder, 'first-run.json'), 'utf8')) as Record<string, string>
  const { org_id, api_key, operator_token } = first as { org_id: string; api_key: string; operator_token: string }
  const owner = callerOf(server.url, api_key)
  await until(async () => (await owner('GET', '/api/deploy/deployments/hello')).live_deploy !== null)
  const question = { query: 'my laptop was stolen, what now?', top_k: 3 }
  await owner('POST', '/api/wf/slim/data-sources/db_handbook/query', question)
  const tokens = await createEverything(owner, callerOf(server.url, operator_token), org_id)
  await server[Symbol.asyncDispose]()
  await packDataFolder(folder, files.dataFolder)
  return { org_id, owner_token: api_key, token: tokens.token, member_token: tokens.memberToken }
}

async function recordPostgres(): Promise<Installation> {
  await using stack = new AsyncDisposableStack()
  const postgres = stack.use(await startOwnPostgres({ fsync: 'off' }))
  const { username, password } = new URL(await prepareAsGuide(postgres))
  const database = platformOf(version)
  await postgres.psql(`alter database svc rename to ${database}`)
  const url = urlAs(postgres, { username, password, database })
  const env = { DATABASE_URL: url, SVC_DATA_DIR: temporaryFolder(stack), SVC_DRAIN_SECONDS: '0' }
  const server = stack.use(await start({ ...POSTGRES_SECRETS, ...env }))
  const operator = callerOf(server.url, POSTGRES_SECRETS.SVC_OPERATOR_TOKEN)
  const org_id = String((await operator('POST', '/api/v1/admin/orgs', { name: 'My organization' })).id)
  const ownerToken = { org_id, email: 'owner@example.com', role: 'owner', name: 'first key' }
  const owner_token = String((await operator('POST', '/api/v1/admin/tokens', ownerToken)).token)
  const owner = callerOf(server.url, owner_token)
  await owner('POST', '/api/deploy/deployments', { alias: 'hello', name: 'Hello' })
  await createSource(owner)
  await owner('POST', '/api/wf/slim/data-sources/db_docs/query', { query: 'what if I have the flu?', top_k: 1 })
  const tokens = await createEverything(owner, operator, org_id)
  await server[Symbol.asyncDispose]()
  await dumpPostgres(postgres, database, files.dump)
  return { org_id, owner_token, token: tokens.token, member_token: tokens.memberToken }
}

mkdirSync(files.folder, { recursive: true })
const recorded: Recorded = {
  version,
  commit: execFileSync('git', ['rev-parse', 'HEAD'], { cwd: checkout, encoding: 'utf8' }).trim(),
  embedded: await recordEmbedded(),
  postgres: await recordPostgres(),
  recorded_at: new Date().toISOString(),
}
writeFileSync(files.recorded, `${JSON.stringify(recorded, null, 2)}\n`)
console.log(`recorded ${version} in ${files.folder}`)

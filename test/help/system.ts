import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { adminCreateOrg, adminCreateToken } from '#contract/auth/auth.ts'
import { type Client, createClient } from '#contract/core/client.ts'
import type { Role } from '#contract/core/roles.ts'
import { createPrincipalCache } from '#edge/credentials/caller.ts'
import type { Db } from '#lib/db/db.ts'
import { type KeyValueStore, openMemoryStore } from '#lib/kv/kv.ts'
import { openRedis } from '#lib/kv/kv-redis.ts'
import { createLog, type Log } from '#lib/log/log.ts'
import type { SafeFetch } from '#lib/net/safe-fetch.ts'
import { type Clock, systemClock } from '#lib/time/clock.ts'
import { type Config, readSettings, toConfig } from '../../src/server/config/config.ts'
import type { Environment } from '../../src/server/config/reader.ts'
import { SERVICE_NAMES, type ServiceName } from '../../src/server/config/service-table.ts'
import { openResources } from '../../src/server/process/resources.ts'
import { startServices } from '../../src/server/process/start.ts'
import { findInLogs, findSecrets } from './canary.ts'
import { openTestDatabase } from './database.ts'
import { embeddedEnvironment } from './embedded-environment.ts'
import { startProcesses } from './programs/processes.ts'
import { stores } from './stores.ts'

/** `apart`: each service has its own listener, and on Postgres its own process. */
export type Mode = 'together' | 'apart'

export type System = AsyncDisposable & {
  url: string
  urlOf(name: ServiceName): string
  db: Db
  databaseUrl: string | undefined
  config: Config
  operator: Client
  logs: string[]
  /** Every secret that was created, so that a test can search for them. */
  secrets: string[]
  /** Creates an organization with a member of the role, and a token of theirs. */
  member(role?: Role, orgId?: string): Promise<{ token: string; org_id: string; user_id: string; email: string }>
  client(token: string): Client
}

/** `on`: another system on the same database. */
export type SystemOptions = {
  mode?: Mode
  clock?: Clock
  env?: Environment
  on?: Pick<System, 'db' | 'databaseUrl'>
  /** Receives requests to identity providers; only with services together. */
  outgoing?: (request: Request) => Promise<Response>
  /** Receives requests to other addresses; only with services together. */
  safeFetch?: SafeFetch
  /** Checks addresses that are saved; only with services together. */
  checkAddress?: (url: string) => Promise<void>
}

export async function startSystem(options: SystemOptions = {}): Promise<System> {
  const stack = new AsyncDisposableStack()
  const { on } = options
  const database = on ? { db: on.db, url: on.databaseUrl } : stack.use(await openTestDatabase())
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-test-'))
  stack.defer(() => rmSync(dataDir, { recursive: true, force: true }))
  const env = {
    ...testEnvironment(database.url, dataDir),
    ...(options.mode === 'apart' && SEEN_BY_AGENTS),
    ...options.env,
  }
  const config = toConfig(readSettings(env))
  const logs: string[] = []
  const log = createLog('info', { write: (line: string) => void logs.push(line) })
  const kv = stack.use(openTestStore(options.clock ?? systemClock))
  const { clock, outgoing, safeFetch, checkAddress } = options
  const over = {
    db: database.db,
    kv,
    log,
    ...(clock && { clock }),
    ...(outgoing && { outgoing }),
    ...(safeFetch && { safeFetch }),
    ...(checkAddress && { checkAddress }),
  }
  const urls =
    options.mode === 'apart'
      ? stores.postgres
        ? await startProcesses(env, stack, logs)
        : await startListeners(config, stack, over)
      : await startTogether(config, stack, over)
  return toSystem(urls, config, { db: database.db, databaseUrl: database.url, logs, secrets: [] }, stack)
}

/** Settings that services need if they run apart. */
const SEEN_BY_AGENTS = { SVC_AUTH_PUBLIC_URL: 'https://auth.test', SVC_MCP_PUBLIC_URL: 'https://mcp.test/mcp' }

type Over = { db: Db; log: Log; kv: KeyValueStore } & Pick<
  SystemOptions,
  'clock' | 'outgoing' | 'safeFetch' | 'checkAddress'
>
type Urls = Record<ServiceName, string>

async function startTogether(config: Config, stack: AsyncDisposableStack, over: Over): Promise<Urls> {
  const resources = await openResources(config, stack, over)
  const { url } = await startServices(resources, stack, { ...config, urlOf: (name) => config.urls[name] })
  return Object.fromEntries(SERVICE_NAMES.map((name) => [name, url])) as Urls
}

/**
 * Five listeners in one process. They share the database, as five processes would, and the engine of managed databases,
 * because only one process at a time can open their folder.
 */
async function startListeners(config: Config, stack: AsyncDisposableStack, over: Over): Promise<Urls> {
  const urls: Partial<Urls> = {}
  const { shared } = await openResources(config, stack, over)
  for (const name of SERVICE_NAMES) {
    const resources = await openResources(config, stack, { ...over, shared })
    const own = { ...resources, principalCache: createPrincipalCache(resources.clock) }
    const options = { ...config, services: [name], urlOf: (other: ServiceName) => urls[other] }
    urls[name] = (await startServices(own, stack, options)).url
  }
  return urls as Urls
}

function toSystem(
  urls: Urls,
  config: Config,
  rest: Pick<System, 'db' | 'databaseUrl' | 'logs' | 'secrets'>,
  stack: AsyncDisposableStack,
): System {
  const url = urls['api-gateway']
  const client = (token: string) =>
    createClient({ baseUrl: url, fetch, headers: () => ({ authorization: `Bearer ${token}` }) })
  const operator = client(config.secrets.operatorToken!)
  const member: System['member'] = async (role = 'owner', orgId) => {
    const name = `Org ${randomBytes(4).toString('hex')}`
    const org_id = orgId ?? (await operator.call(adminCreateOrg, { name })).id
    const email = `${role}-${randomBytes(4).toString('hex')}@example.com`
    const createdToken = await operator.call(adminCreateToken, { org_id, email, role, name: 'test' })
    rest.secrets.push(createdToken.token)
    return { token: createdToken.token, org_id, user_id: createdToken.user_id, email }
  }
  return {
    ...rest,
    url,
    urlOf: (name) => urls[name],
    config,
    operator,
    member,
    client,
    [Symbol.asyncDispose]: async () => {
      const secrets = [...rest.secrets, ...Object.values(config.secrets).flat()].filter(
        (secret) => secret !== undefined,
      )
      const stored = await findSecrets(rest.db, [], secrets)
      await stack.disposeAsync()
      const written = findInLogs(rest.logs, secrets)
      if (stored.length + written.length > 0)
        throw new Error(`secrets were found: ${[...stored, ...written].join('; ')}`)
    },
  }
}

function openTestStore(clock: Clock): KeyValueStore {
  return stores.redis
    ? withOwnKeys(openRedis(stores.redis, console.error, `test-${randomBytes(6).toString('hex')}:`))
    : openMemoryStore(clock)
}

/** Gives each system its own Redis prefix, because all tests call from loopback and share one Redis. */
function withOwnKeys(kv: KeyValueStore): KeyValueStore {
  const prefix = randomBytes(6).toString('hex')
  const own = (key: string) => `${prefix}:${key}`
  return {
    ...kv,
    count: (key, seconds) => kv.count(own(key), seconds),
    get: (key) => kv.get(own(key)),
    set: (key, value, seconds) => kv.set(own(key), value, seconds),
    setOnce: (key, seconds) => kv.setOnce(own(key), seconds),
    delete: (key) => kv.delete(own(key)),
  }
}

export function testEnvironment(databaseUrl: string | undefined, dataDir: string): Environment {
  return {
    ...embeddedEnvironment(dataDir),
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
    // Separate processes cannot share a chosen prefix, so they get one of Redis's databases.
    ...(stores.redis && { REDIS_URL: `${stores.redis}/${1 + Math.floor(Math.random() * 15)}` }),
  }
}

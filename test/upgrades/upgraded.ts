import { type Client, createClient } from '#contract/core/client.ts'
import type { Db } from '#lib/db/db.ts'
import { identifier, sql } from '#lib/db/sql.ts'
import { lockFolder } from '#lib/files/folder-lock.ts'
import { createLog } from '#lib/log/log.ts'
import { testClock } from '#lib/time/clock.ts'
import { type Config, readSettings, toConfig } from '../../src/server/config/config.ts'
import type { Environment } from '../../src/server/config/reader.ts'
import { loadOrMakeSecrets } from '../../src/server/process/first-start/embedded-secrets.ts'
import { firstRun } from '../../src/server/process/first-start/first-run.ts'
import { openResources } from '../../src/server/process/resources.ts'
import { startServices } from '../../src/server/process/start.ts'

export type Upgraded = AsyncDisposable & {
  readonly db: Db
  readonly logs: readonly string[]
  client(token: string): Client
}

/**
 * Starts today's server on the data of a release, in this process and at the time of the recording, because old rows are
 * removed as time passes.
 */
export async function startUpgraded(env: Environment, recordedAt: string): Promise<Upgraded> {
  const stack = new AsyncDisposableStack()
  try {
    const config = takeConfig(env, stack)
    const logs: string[] = []
    const log = createLog('info', { write: (line: string) => void logs.push(line) })
    const resources = await openResources(config, stack, { clock: testClock(new Date(recordedAt)), log })
    const running = await startServices(resources, stack, { ...config, urlOf: (name) => config.urls[name] })
    if (config.databaseUrl === undefined) await firstRun(resources, running.url)
    const headers = (token: string) => () => ({ authorization: `Bearer ${token}` })
    const client = (token: string) => createClient({ baseUrl: running.url, fetch, headers: headers(token) })
    return { db: resources.db, logs, client, [Symbol.asyncDispose]: () => stack.disposeAsync() }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

function takeConfig(env: Environment, stack: AsyncDisposableStack): Config {
  const settings = readSettings(env)
  if (settings.databaseUrl !== undefined) return toConfig(settings)
  stack.use(lockFolder(settings.dataDir))
  return toConfig(settings, loadOrMakeSecrets(settings.dataDir))
}

/** Tables of what people created, and of the migrations. The worker changes others at any time, such as leases. */
const TABLES = [
  'apps.apps',
  'apps.environment',
  'apps.people',
  'auth.api_tokens',
  'auth.invitations',
  'auth.memberships',
  'auth.orgs',
  'auth.users',
  'checks.checks',
  'data_sources.sources',
  'maintenance.orgs',
  'notifications.channels',
  'notifications.events',
  'notifications.follows',
  'notifications.notifications',
  'notifications.subscriptions',
  'public.svc_migrations',
  'svc.audit',
  'svc.data_keys',
  'tickets.replies',
  'tickets.tickets',
] as const

/** Returns the rows of each table, as text and in order. */
export async function readTables(db: Db): Promise<Record<string, string[]>> {
  const rows: Record<string, string[]> = {}
  for (const table of TABLES) {
    const [schema, name] = table.split('.') as [string, string]
    const found = await db.query<{ text: string }>(sql`
      select stored::text as text from ${identifier(schema, name)} as stored order by 1`)
    rows[table] = found.map(({ text }) => text)
  }
  return rows
}

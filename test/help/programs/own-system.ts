import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Db } from '#lib/db/db.ts'
import { openEmbedded } from '#lib/db/embedded/embedded.ts'
import { migrate } from '#lib/db/migrate/migrate.ts'
import { openPostgres } from '#lib/db/postgres.ts'
import type { SafeFetch } from '#lib/net/safe-fetch.ts'
import type { Clock } from '#lib/time/clock.ts'
import { onServer, withDatabase } from '#test/suite/global-setup.ts'
import { type System, startSystem, testEnvironment } from '#test/system.ts'
import type { Environment } from '../../../src/server/config/reader.ts'
import { allMigrations } from '../../../src/server/process/schema.ts'

type Database = { readonly db: Db; readonly databaseUrl: string | undefined }

type Options = { readonly clock?: Clock; readonly workers?: number; readonly safeFetch?: SafeFetch }

/**
 * Starts a system outside of the test runner, in this process. On Postgres if SVC_TEST_DATABASE_URL names one, or else on
 * the embedded engine. `workers` beyond the first have no other services.
 */
export async function startOwnSystem(
  given: Environment,
  { clock, workers = 1, safeFetch }: Options = {},
): Promise<System> {
  const stack = new AsyncDisposableStack()
  try {
    const on = await openOwnDatabase(stack)
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-own-'))
    stack.defer(() => rmSync(dataDir, { recursive: true, force: true }))
    const env = { ...testEnvironment(on.databaseUrl, dataDir), ...given }
    const system = stack.use(await startSystem({ on, env, ...(clock && { clock }), ...(safeFetch && { safeFetch }) }))
    for (let more = 1; more < workers; more++) stack.use(await startSystem({ on, env: workerOnly(env, system.url) }))
    return { ...system, [Symbol.asyncDispose]: () => stack.disposeAsync() }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

/** Settings of a process with the worker alone, beside a system at the address. */
export function workerOnly(env: Environment, url: string): Environment {
  const names = ['API_GATEWAY_URL', 'AUTH_SERVICE_URL', 'DEPLOY_API_URL', 'MCP_SERVER_URL', 'WORKER_URL']
  const urls = Object.fromEntries(names.map((name) => [name, url]))
  return { ...env, ...urls, SVC_SERVICES: 'worker', SVC_REDIRECT_BASE_URL: 'https://app.test' }
}

/** Opens a migrated database outside of the test runner. `stack` drops it. */
export async function openOwnDatabase(stack: AsyncDisposableStack): Promise<Database> {
  const on = await openDatabase(stack)
  await migrate(on.db, allMigrations())
  return on
}

async function openDatabase(stack: AsyncDisposableStack): Promise<Database> {
  const server = process.env.SVC_TEST_DATABASE_URL
  const onError = (error: unknown) => console.error(error)
  if (server === undefined) return { db: stack.use(await openEmbedded({ onError })), databaseUrl: undefined }
  const name = `svc_bench_${randomBytes(6).toString('hex')}`
  await onServer(server, `create database ${name}`)
  stack.defer(() => onServer(server, `drop database ${name} with (force)`))
  const databaseUrl = withDatabase(server, name)
  return { db: stack.use(openPostgres({ url: databaseUrl, onError })), databaseUrl }
}

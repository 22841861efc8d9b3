import { randomBytes } from 'node:crypto'
import type { Db } from '#lib/db/db.ts'
import { openEmbedded } from '#lib/db/embedded.ts'
import { migrate } from '#lib/db/migrate/migrate.ts'
import { openPostgres } from '#lib/db/postgres.ts'
import { onServer, withDatabase } from '#test/global-setup.ts'
import { type System, startSystem } from '#test/system.ts'
import { allMigrations } from '../../src/server/process/schema.ts'

type Database = { readonly db: Db; readonly databaseUrl: string | undefined }

/**
 * Starts a system outside of the test runner, in this process. On Postgres if SVC_TEST_DATABASE_URL names one, or else on
 * the embedded engine.
 */
export async function startOwnSystem(env: Record<string, string>): Promise<System> {
  const stack = new AsyncDisposableStack()
  try {
    const on = await openDatabase(stack)
    await migrate(on.db, allMigrations())
    const system = stack.use(await startSystem({ on, env }))
    return { ...system, [Symbol.asyncDispose]: () => stack.disposeAsync() }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
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

import type { Db } from '#lib/db/db.ts'
import { migrate } from '#lib/db/migrate/migrate.ts'
import { openPostgres, type PostgresOptions } from '#lib/db/postgres.ts'
import { allMigrations } from '../../../src/server/process/schema.ts'
import { onServer, withDatabase } from '../suite/global-setup.ts'
import { type OwnPostgres, startOwnPostgres } from './own-postgres.ts'

/** A migrated platform database on a separate server, whose roles, settings and processes a test may change. */
export type OwnPlatform = AsyncDisposable & { server: OwnPostgres; db: Db; url: string }

type Options = Partial<PostgresOptions> & {
  settings?: Record<string, string | number>
  /** Runs before the platform connects, and returns the connection string of its role. */
  prepare?: (server: OwnPostgres) => Promise<string>
}

export async function startOwnPlatform({ settings = {}, prepare, ...options }: Options = {}): Promise<OwnPlatform> {
  const server = await startOwnPostgres({ fsync: 'off', ...settings })
  const url = await (prepare ?? asSuperuser)(server)
  await using migrating = openPostgres({ url, onError: console.error })
  await migrate(migrating, allMigrations())
  const db = openPostgres({ url, onError: () => undefined, ...options })
  return {
    server,
    db,
    url,
    [Symbol.asyncDispose]: async () => {
      server.resume()
      await db[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

async function asSuperuser({ url }: OwnPostgres): Promise<string> {
  await onServer(url, 'create database platform')
  return withDatabase(url, 'platform')
}

import { join } from 'node:path'
import type { Db } from '#lib/db/db.ts'
import { connectEmbedded, openEmbedded } from '#lib/db/embedded/embedded.ts'
import type { EngineThread } from '#lib/db/embedded/engine-thread.ts'
import { openPostgres } from '#lib/db/postgres.ts'
import type { Log } from '#lib/log/log.ts'
import type { Config } from '../config/config.ts'

/** Opens the platform's database. A file of its own, so that commands load no more than they need for it. */
export async function openDatabase(
  config: Pick<Config, 'databaseUrl' | 'databaseDirectUrl' | 'databaseConnections' | 'dataDir'>,
  log: Log,
  engine?: EngineThread,
): Promise<Db> {
  const onError = (error: unknown) => log.warn({ error }, 'the database connection failed')
  const { databaseUrl: url, databaseDirectUrl: directUrl, databaseConnections: maxConnections } = config
  if (url) return openPostgres({ url, directUrl, maxConnections, onError })
  if (engine) return connectEmbedded(engine, { onError })
  return openEmbedded({ folder: join(config.dataDir, 'db'), onError })
}

import { countByServer } from '../model/store.ts'
import type { DatabaseDeps } from './deps.ts'
import { placeDatabase, type ServerRoom } from './placement.ts'
import type { DatabaseServer } from './servers.ts'

/** Returns the name of the server for a new database. A single open server is not asked how much room it has. */
export async function chooseServer({ db, servers }: Pick<DatabaseDeps, 'db' | 'servers'>): Promise<string> {
  const [only, ...others] = servers.all
  if (others.length === 0 && only?.settings.state === 'open' && !hasLimit(only)) return only.settings.name
  return placeDatabase(await roomOf({ db, servers }))
}

/** Asks every server at once how much of its room is in use. */
export async function roomOf({ db, servers }: Pick<DatabaseDeps, 'db' | 'servers'>): Promise<ServerRoom[]> {
  const counts = await countByServer(db)
  return Promise.all(
    servers.all.map(async ({ settings, engine }) => {
      const databases = counts.get(settings.name) ?? 0
      const bytes = await engine.usedBytes?.().catch(() => undefined)
      return { ...settings, databases, bytes }
    }),
  )
}

function hasLimit({ settings }: DatabaseServer): boolean {
  return settings.maxDatabases !== undefined || settings.maxBytes !== undefined
}

import { sourcesOfDatabases } from '../areas/data-sources/index.ts'
import { createDatabases, type Databases } from '../areas/databases/index.ts'
import type { Resources } from './parts.ts'

/** Builds the area of managed databases. Use it through `parts.shared`: a process opens their engine once. */
export function composeDatabases({ config, db, clock, sealer, log }: Resources): Databases {
  const { databaseUrl, dataDir } = config
  const settings = { ...config.databases, databaseUrl, dataDir }
  return createDatabases({ db, clock, sealer, log, ...settings, sources: sourcesOfDatabases })
}

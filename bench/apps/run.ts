import { loadavg } from 'node:os'
import { migrate } from '#lib/db/migrate/migrate.ts'
import { openPostgres } from '#lib/db/postgres.ts'
import { allMigrations } from '../../src/server/process/schema.ts'
import { startStores, storesMissing } from '../ask/stores.ts'
import { benchRevisions } from './revisions.ts'

/** Measures apps. Git on the same machine, disk and tree is the yardstick for the revision store. */
const tenth = process.argv.includes('--tenth')

const missing = storesMissing()
if (missing) {
  console.log(`left out: ${missing}`)
  process.exit(tenth ? 0 : 1)
}
const stack = new AsyncDisposableStack()
try {
  const { databaseUrl } = stack.use(await startStores())
  const db = stack.use(openPostgres({ url: databaseUrl, onError: console.error }))
  await migrate(db, allMigrations())
  console.log(`load ${loadavg()[0]!.toFixed(1)}`)
  await benchRevisions(db, tenth ? 5 : 50)
} finally {
  await stack.disposeAsync()
}

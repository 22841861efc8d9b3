import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPostgres } from '#lib/db/postgres.ts'
import { type Floor, requireFloors } from '../help/floors.ts'
import { commitMs, startStores, storesMissing } from '../help/stores.ts'
import { benchLogs } from './logs.ts'
import { benchRevisions } from './revisions.ts'
import { startAppServer } from './server.ts'
import { benchSwitch } from './switch.ts'

/**
 * Measures apps on durable Postgres. Yardsticks of the same run: git on the same tree for the revision store, COPY of the
 * same lines for logs.
 */
const tenth = process.argv.includes('--tenth')
const REVISIONS = tenth ? 5 : 50
const LOGS = tenth ? { count: 20_000, rounds: 1 } : { count: 200_000, rounds: 5 }
const SWITCHES = tenth ? 1 : 10
const REQUESTS_PER_SECOND = 200
const MIN_SHARE_OF_COPY = 0.3

const missing = storesMissing()
if (missing) {
  console.log(`left out: ${missing}`)
  process.exit(tenth ? 0 : 1)
}
const dir = mkdtempSync(join(tmpdir(), 'svc-apps-run-'))
const stack = new AsyncDisposableStack()
stack.defer(() => rmSync(dir, { recursive: true, force: true }))
try {
  const stores = stack.use(await startStores())
  const server = stack.use(await startAppServer(stores, join(dir, 'svc')))
  const db = stack.use(openPostgres({ url: stores.databaseUrl, onError: console.error }))
  console.log(`load ${loadavg()[0]!.toFixed(1)}`)
  console.log(`a durable commit of one row takes ${(await commitMs(stores.databaseUrl)).toFixed(2)} ms on this disk`)
  const floors: Floor[] = []
  await benchRevisions(db, REVISIONS)
  const ofCopy = await benchLogs(server, stores.databaseUrl, dir, LOGS)
  // Speeds are judged in a full run only, because CI's machine is busy with other work.
  if (tenth) console.log(`lines over HTTP, of COPY into a bare table: ${ofCopy.toFixed(2)}`)
  else floors.push({ name: 'lines over HTTP, of COPY into a bare table', value: ofCopy, atLeast: MIN_SHARE_OF_COPY })
  const { dropped, sent } = await benchSwitch(server, REQUESTS_PER_SECOND, SWITCHES)
  floors.push({ name: 'requests dropped by switches', value: sent > 0 ? dropped : Number.NaN, atMost: 0 })
  requireFloors(floors)
} finally {
  await stack.disposeAsync()
}

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { digestOf, EMPTY_CLUSTER, readClusterArchive } from '../src/lib/db/embedded/cluster.ts'
import { openEmbedded } from '../src/lib/db/embedded/embedded.ts'
import { MANIFEST, type Manifest } from '../src/lib/db/embedded/prepared-schema.ts'
import { readTarEntries } from '../src/lib/db/embedded/tar-entries.ts'
import { migrate } from '../src/lib/db/migrate/migrate.ts'
import { script, sql } from '../src/lib/db/sql.ts'
import { allMigrations, preparedSchema } from '../src/server/process/schema.ts'
import { entriesIn, writeArchive } from './cluster-archive.ts'

/**
 * `npm run cluster:schema` applies all migrations to the empty cluster and writes the files that they changed, which a
 * first start takes instead of applying them. Run it after a migration was added; `test/prepared-schema.test.ts` fails
 * until then.
 */
const folder = join(mkdtempSync(join(tmpdir(), 'svc-schema-')), 'cluster')
const db = await openEmbedded({ folder, onError: console.error })
await migrate(db, allMigrations())
// Begins another file of the log: what was done is not needed after a clean stop, and would be most of the archive.
await db.query(script('select pg_switch_wal()'))
await db.query(script('checkpoint'))
const [{ log } = { log: '' }] = await db.query<{ log: string }>(
  sql`select pg_walfile_name(pg_current_wal_lsn()) as log`,
)
await db[Symbol.asyncDispose]()

const before = new Map(readTarEntries(await readClusterArchive(EMPTY_CLUSTER)).map((entry) => [entry.path, entry]))
const after = entriesIn(folder).filter(
  ({ path }) => !/^\/pg_wal\/[0-9A-F]{24}$/.test(path) || path === `/pg_wal/${log}`,
)
rmSync(join(folder, '..'), { recursive: true })
const remainingPaths = new Set(after.map(({ path }) => path))
const { archive, checksums } = preparedSchema()
const removed = [...before.values()]
  .filter(({ path, isFolder }) => !isFolder && !remainingPaths.has(path))
  .map(({ path }) => path)
const manifest: Manifest = { base: digestOf(EMPTY_CLUSTER), removed, checksums }
const description = { path: MANIFEST, isFolder: false, bytes: Buffer.from(JSON.stringify(manifest)) }
const changed = after.filter(({ path, bytes }) => !before.get(path)?.bytes.equals(bytes))
await writeArchive(archive, [description, ...changed])
process.exit(0)

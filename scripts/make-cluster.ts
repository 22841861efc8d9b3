import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { EMPTY_CLUSTER } from '../src/lib/db/embedded/cluster.ts'
import { entriesIn, writeArchive } from './cluster-archive.ts'

/**
 * `npm run cluster` makes the empty cluster that ships with the product. Run it after a change of the engine's version,
 * with the new version in `src/lib/db/embedded/cluster.ts`, and delete the former file.
 */
const folder = join(mkdtempSync(join(tmpdir(), 'svc-cluster-')), 'cluster')
await (await PGlite.create(folder)).close()
await writeArchive(EMPTY_CLUSTER, entriesIn(folder))
rmSync(join(folder, '..'), { recursive: true })
process.exit(0)

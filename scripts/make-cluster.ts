import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { constants, zstdCompressSync } from 'node:zlib'
import { PGlite } from '@electric-sql/pglite'
import { pack } from 'tar-stream'
import { EMPTY_CLUSTER } from '../src/lib/db/cluster.ts'

/**
 * `npm run cluster` makes the empty cluster that ships with the product. Run it after a change of the engine's version,
 * with the new version in `src/lib/db/cluster.ts`, and delete the former file.
 */
const folder = join(mkdtempSync(join(tmpdir(), 'svc-cluster-')), 'cluster')
await (await PGlite.create(folder)).close()
const archive = pack()
for (const name of globSync('**', { cwd: folder }).sort()) {
  const path = join(folder, name)
  const entry = { name: `/${name}`, mtime: new Date(0) }
  if (statSync(path).isDirectory()) archive.entry({ ...entry, type: 'directory' })
  else archive.entry(entry, readFileSync(path))
}
archive.finalize()
// A long window, because the cluster has three databases with the same content.
const params = {
  [constants.ZSTD_c_compressionLevel]: 19,
  [constants.ZSTD_c_enableLongDistanceMatching]: 1,
  [constants.ZSTD_c_windowLog]: 26,
}
const bytes = zstdCompressSync(await buffer(archive), { params })
writeFileSync(EMPTY_CLUSTER, bytes)
rmSync(join(folder, '..'), { recursive: true })
console.log(`${EMPTY_CLUSTER}: ${bytes.length} bytes`)
process.exit(0)

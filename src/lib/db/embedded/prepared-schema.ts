import type { TarEntry } from './tar-entries.ts'

/** An archive of the files that the migrations change in the empty cluster. `npm run cluster:schema` makes it. */
export type PreparedSchema = {
  archive: string
  /** Checksums of the migrations of this version, by their names. */
  checksums: Checksums
}
type Checksums = Readonly<Record<string, string>>

/** The entries of an archive and the SHA-256 of its file. */
export type EmptyCluster = { entries: readonly TarEntry[]; digest: string }

/** Describes the archive, in an entry of this name. */
export const MANIFEST = 'manifest.json'
export type Manifest = {
  /** SHA-256 of the archive of the empty cluster that the files were changed in. */
  base: string
  /** Files of the empty cluster that are gone. */
  removed: readonly string[]
  /** Checksums of the applied migrations, by their names. */
  checksums: Checksums
}

function readManifest(changes: readonly TarEntry[]): Manifest {
  const found = changes.find(({ path }) => path === MANIFEST)
  if (!found) throw new Error(`the archive of the prepared schema has no ${MANIFEST}`)
  return JSON.parse(found.bytes.toString('utf8')) as Manifest
}

/**
 * Returns the files of a cluster in which the migrations are applied. Returns those of the empty cluster if the archive
 * was made from another one, or with a migration that this version lacks or has in another form: the start then applies
 * all of them, which takes longer. Migrations that are newer than the archive are applied at the start too.
 */
export function withPreparedSchema(
  empty: EmptyCluster,
  changes: readonly TarEntry[],
  checksums: Checksums,
): readonly TarEntry[] {
  const manifest = readManifest(changes)
  const isOfVersion = Object.entries(manifest.checksums).every(([name, checksum]) => checksums[name] === checksum)
  if (manifest.base !== empty.digest || !isOfVersion) return empty.entries
  const changed = changes.filter(({ path }) => path !== MANIFEST)
  const replaced = new Set([...manifest.removed, ...changed.map(({ path }) => path)])
  return [...empty.entries.filter(({ path }) => !replaced.has(path)), ...changed]
}

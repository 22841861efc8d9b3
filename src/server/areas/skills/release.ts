import { createHash } from 'node:crypto'

/** `skills/releases.json`: by version, the digest of each file that version served. */
type Releases = Record<string, Record<string, string> | undefined>

/**
 * Returns the tag of the version, such as `v0.1.0`, when every file is as recorded for it, otherwise `unreleased`.
 * Compares files and does not ask git, so that it also works in an archive of the sources and in an edited checkout.
 */
export function refOfFiles(files: ReadonlyMap<string, Buffer>, releasesJson: string, version: string): string {
  const recorded = (JSON.parse(releasesJson) as Releases)[version]
  const isRecorded = recorded && [...files].every(([path, bytes]) => recorded[path] === sha256(bytes))
  return isRecorded ? `v${version}` : 'unreleased'
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

import { createHash } from 'node:crypto'

/** `skills/releases.json`: by version, the digest of each file that version served. */
type Releases = Record<string, Record<string, string> | undefined>

/**
 * The tag of the version, such as `v0.1.0`, where every file is the one recorded for it; else `unreleased`. Decided by
 * the files and not by git, so that it is right in an archive of the sources and while other files are being edited.
 */
export function refOfFiles(files: ReadonlyMap<string, Buffer>, releasesJson: string, version: string): string {
  const recorded = (JSON.parse(releasesJson) as Releases)[version]
  const isRecorded = recorded && [...files].every(([path, bytes]) => recorded[path] === sha256(bytes))
  return isRecorded ? `v${version}` : 'unreleased'
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

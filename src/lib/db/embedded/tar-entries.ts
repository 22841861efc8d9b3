export type TarEntry = { path: string; isFolder: boolean; bytes: Buffer }

const BLOCK_BYTES = 512

/**
 * Lists the files and folders of a tar file as `scripts/make-cluster.ts` and the embedded engine write it: names of at
 * most 100 bytes, no links. Throws for anything else. It is not made for archives of users.
 */
export function readTarEntries(tar: Buffer): TarEntry[] {
  const entries: TarEntry[] = []
  for (let at = 0; at < tar.length && tar[at] !== 0; ) {
    const header = tar.subarray(at, at + BLOCK_BYTES)
    const size = Number.parseInt(text(header, 124, 12), 8)
    const type = text(header, 156, 1)
    const path = text(header, 0, 100)
    const start = at + BLOCK_BYTES
    if (!'05'.includes(type) || !(start + size <= tar.length) || path.split('/').includes('..')) {
      throw new Error(`the archive of the empty cluster is damaged at byte ${at}`)
    }
    entries.push({ path, isFolder: type === '5', bytes: tar.subarray(start, start + size) })
    at = start + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES
  }
  return entries
}

/** Returns the text of a field, which ends at its first zero byte. */
function text(header: Buffer, at: number, length: number): string {
  return header.toString('latin1', at, at + length).replace(/\0.*$/s, '')
}

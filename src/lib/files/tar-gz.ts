import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'

type PackedFile = {
  readonly path: string
  readonly bytes: Buffer
  /** Default: 0644. */
  readonly mode?: number
}

/** Position and value of the header byte that names the operating system (RFC 1952 section 2.3.1). */
const OS_BYTE = 9
const OS_UNKNOWN = 255

/** Packs files into a .tar.gz that is the same for the same files at any time: without times, owners and folder entries. */
export async function packTarGz(files: readonly PackedFile[]): Promise<Buffer> {
  const tar = pack()
  for (const { path, bytes, mode = 0o644 } of files) {
    tar.entry({ name: path, mode, mtime: new Date(0), uid: 0, gid: 0, uname: '', gname: '' }, bytes)
  }
  tar.finalize()
  const archive = gzipSync(await buffer(tar), { level: 9 })
  archive[OS_BYTE] = OS_UNKNOWN
  return archive
}

import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'

type SkillFile = { readonly path: string; readonly bytes: Buffer }

/** Position and value of the header byte that names the operating system (RFC 1952 section 2.3.1). */
const OS_BYTE = 9
const OS_UNKNOWN = 255

/**
 * Packs files into a .tar.gz that is the same for the same files at any time: without times, owners and folder entries.
 * Files are at the root under their plain names, because clients refuse `./SKILL.md` and a folder around all files.
 */
export async function toArchive(files: readonly SkillFile[]): Promise<Buffer> {
  const tar = pack()
  for (const { path, bytes } of files) {
    tar.entry({ name: path, mode: 0o644, mtime: new Date(0), uid: 0, gid: 0, uname: '', gname: '' }, bytes)
  }
  tar.finalize()
  const archive = gzipSync(await buffer(tar), { level: 9 })
  archive[OS_BYTE] = OS_UNKNOWN
  return archive
}

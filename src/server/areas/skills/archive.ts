import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'

type SkillFile = { readonly path: string; readonly bytes: Buffer }

/** Names no operating system (RFC 1952 section 2.3.1). */
const OS_BYTE = 9
const OS_UNKNOWN = 255

/**
 * The same bytes for the same files, wherever and whenever: no times, owners or folder entries. Names stand plain at
 * the root; clients refuse `./SKILL.md` and a folder around it all.
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

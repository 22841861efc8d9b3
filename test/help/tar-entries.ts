import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { extract } from 'tar-stream'

type Entry = { name: string; type: string; mode: number; uid: number; gid: number; mtime: number; bytes: Buffer }

/** Reads a .tar.gz from memory. */
export async function entriesOf(archive: Buffer): Promise<Entry[]> {
  const entries: Entry[] = []
  const reader = extract()
  reader.end(gunzipSync(archive))
  for await (const entry of reader) {
    const { name, type, mode, uid, gid, mtime } = entry.header
    const bytes = await buffer(entry)
    entries.push({ name, type: type!, mode: mode!, uid: uid!, gid: gid!, mtime: mtime!.getTime(), bytes })
  }
  return entries
}

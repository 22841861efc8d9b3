import type { SourceFile } from '../../deploys/target.ts'
import { BLOCK_BYTES } from './header.ts'

const END_BYTES = 2 * BLOCK_BYTES
/** Longer names are written in an extended header (POSIX.1-2001). */
const MAX_NAME_BYTES = 100

/** Writes files as a tar archive that `readTar` and other programs read, with one file in memory at a time. */
export async function* writeTar(files: AsyncIterable<SourceFile>): AsyncGenerator<Uint8Array> {
  for await (const { path, executable, content } of files) {
    const name = Buffer.from(path)
    if (name.byteLength > MAX_NAME_BYTES) yield* entryOf({ name: Buffer.from('pax'), type: 'x' }, paxPath(path))
    yield* entryOf({ name: name.subarray(0, MAX_NAME_BYTES), type: '0', executable }, content)
  }
  yield new Uint8Array(END_BYTES)
}

type Entry = { readonly name: Buffer; readonly type: '0' | 'x'; readonly executable?: boolean }

function* entryOf(entry: Entry, content: Uint8Array): Generator<Uint8Array> {
  yield headerOf(entry, content.byteLength)
  if (content.byteLength > 0) yield content
  const padding = (BLOCK_BYTES - (content.byteLength % BLOCK_BYTES)) % BLOCK_BYTES
  if (padding > 0) yield new Uint8Array(padding)
}

/** A record is `<length> path=<path>\n`, and its length counts its own digits. */
function paxPath(path: string): Buffer {
  const rest = ` path=${path}\n`
  const restBytes = Buffer.byteLength(rest)
  let length = restBytes
  while (length !== restBytes + String(length).length) length = restBytes + String(length).length
  return Buffer.from(`${length}${rest}`)
}

function headerOf({ name, type, executable = false }: Entry, size: number): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES)
  const write = (text: string, at: number) => header.write(text, at, 'latin1')
  name.copy(header)
  write(executable ? '0000755\0' : '0000644\0', 100)
  write('0000000\0', 108)
  write('0000000\0', 116)
  write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  write('00000000000\0', 136)
  // The checksum is the sum of all bytes, with spaces in its own place.
  write('        ', 148)
  write(type, 156)
  write('ustar\x0000', 257)
  const checksum = header.reduce((sum, byte) => sum + byte, 0)
  write(`${checksum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

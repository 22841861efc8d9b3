const BLOCK_BYTES = 512
const END_BYTES = 2 * BLOCK_BYTES

/** Returns the bytes of an archive of files of these sizes. */
export function tarSize(sizes: readonly number[]): number {
  return sizes.reduce((sum, size) => sum + BLOCK_BYTES + padded(size), END_BYTES)
}

/** Writes a tar archive (POSIX ustar) of files with short names, such as digests. */
export async function* writeTar(
  files: AsyncIterable<{ readonly name: string; readonly content: Uint8Array }>,
): AsyncGenerator<Uint8Array> {
  for await (const { name, content } of files) {
    yield headerOf(name, content.byteLength)
    if (content.byteLength > 0) yield content
    yield new Uint8Array(padded(content.byteLength) - content.byteLength)
  }
  yield new Uint8Array(END_BYTES)
}

function padded(size: number): number {
  return Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES
}

function headerOf(name: string, size: number): Uint8Array {
  const header = Buffer.alloc(BLOCK_BYTES)
  const write = (text: string, at: number) => header.write(text, at, 'latin1')
  write(name, 0)
  write('0000644\0', 100)
  write('0000000\0', 108)
  write('0000000\0', 116)
  write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  write('00000000000\0', 136)
  // The checksum is the sum of all bytes, with spaces in its own place.
  write('        ', 148)
  write('0', 156)
  write('ustar\x0000', 257)
  const checksum = header.reduce((sum, byte) => sum + byte, 0)
  write(`${checksum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

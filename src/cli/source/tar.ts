const BLOCK_BYTES = 512
const END_BYTES = 2 * BLOCK_BYTES
/** The largest size that has 11 octal digits: 8 GiB without a byte. */
const MAX_OCTAL_SIZE = 0o77777777777

/** Returns the bytes of an archive of files of these sizes. */
export function tarSize(sizes: readonly number[]): number {
  return sizes.reduce((sum, size) => sum + BLOCK_BYTES + padded(size), END_BYTES)
}

/** Writes a tar archive (POSIX ustar) of files with short names, such as digests. */
export async function* writeTar(
  files: AsyncIterable<{ readonly name: string; readonly content: Uint8Array }>,
): AsyncGenerator<Uint8Array> {
  for await (const { name, content } of files) {
    yield tarHeader(name, content.byteLength)
    if (content.byteLength > 0) yield content
    yield tarPadding(content.byteLength)
  }
  yield tarEnd()
}

/** Returns the zeros that fill the last block of a file of this size. */
export function tarPadding(size: number): Uint8Array {
  return new Uint8Array(padded(size) - size)
}

export function tarEnd(): Uint8Array {
  return new Uint8Array(END_BYTES)
}

function padded(size: number): number {
  return Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES
}

/** Returns the block before a file. Its name has at most 100 bytes. */
export function tarHeader(name: string, size: number, mode = '0000644'): Uint8Array {
  const header = Buffer.alloc(BLOCK_BYTES)
  const write = (text: string, at: number) => header.write(text, at, 'latin1')
  write(name, 0)
  write(`${mode}\0`, 100)
  write('0000000\0', 108)
  write('0000000\0', 116)
  if (size <= MAX_OCTAL_SIZE) write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  else writeLargeSize(header, size)
  write('00000000000\0', 136)
  // The checksum is the sum of all bytes, with spaces in its own place.
  write('        ', 148)
  write('0', 156)
  write('ustar\x0000', 257)
  const checksum = header.reduce((sum, byte) => sum + byte, 0)
  write(`${checksum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

/** Writes a larger size as a number of base 256, which GNU tar and others read. */
function writeLargeSize(header: Buffer, size: number): void {
  header[124] = 0x80
  header.writeBigUInt64BE(BigInt(size), 128)
}

/** A header block of a tar archive (POSIX ustar, GNU or the format before them). */
export type TarHeader = { readonly name: Buffer; readonly type: string; readonly size: number; readonly mode: number }

/** The reason why an archive is refused. `entry` names the entry at fault, if the fault is in one. */
export class TarFault extends Error {
  override readonly name = 'TarFault'
  readonly entry: string | undefined
  constructor(message: string, entry?: string) {
    super(message)
    this.entry = entry
  }
}

export const BLOCK_BYTES = 512

const CHECKSUM = { start: 148, end: 156 }

export function isZeroBlock(block: Buffer): boolean {
  for (let at = 0; at < block.length; at++) if (block[at] !== 0) return false
  return true
}

export function readHeader(block: Buffer): TarHeader {
  if (checksumOf(block) !== readOctal(block.subarray(CHECKSUM.start, CHECKSUM.end))) {
    throw new TarFault('is not a tar archive, or it is damaged')
  }
  const isUstar = block.toString('latin1', 257, 263) === 'ustar\0'
  const prefix = isUstar ? untilNul(block.subarray(345, 500)) : Buffer.alloc(0)
  const name = untilNul(block.subarray(0, 100))
  const mode = readOctal(block.subarray(100, 108))
  const size = readOctal(block.subarray(124, 136))
  if (mode === undefined || size === undefined) throw new TarFault('has a header with a number that cannot be read')
  return {
    name: prefix.length > 0 ? Buffer.concat([prefix, Buffer.from('/'), name]) : name,
    mode,
    size,
    type: String.fromCharCode(block[156]!),
  }
}

/** Sums the bytes of the block with spaces in place of the checksum. */
function checksumOf(block: Buffer): number {
  let sum = 32 * (CHECKSUM.end - CHECKSUM.start)
  for (let at = 0; at < CHECKSUM.start; at++) sum += block[at]!
  for (let at = CHECKSUM.end; at < BLOCK_BYTES; at++) sum += block[at]!
  return sum
}

/** Reads a number field. Returns undefined for the binary form, which is for numbers over 8 GiB, and for anything else. */
function readOctal(field: Buffer): number | undefined {
  const [, digits] = /^[ \0]*([0-7]*)[ \0]*$/.exec(field.toString('latin1')) ?? []
  return digits === undefined ? undefined : Number.parseInt(digits || '0', 8)
}

export function untilNul(field: Buffer): Buffer {
  const end = field.indexOf(0)
  return end === -1 ? field : field.subarray(0, end)
}

import { endianness } from 'node:os'
import type { ResolvedEntry } from './entry.ts'

/**
 * Encodes a vector for its column in the binary form of pgvector: two bytes for the size, two unused, then numbers of
 * four bytes, all with the highest byte first. Writing and reading it as text costs many times as much.
 */
export function bindVector(vector: Float32Array, type: ResolvedEntry['vector_type']): Buffer | string {
  if (type !== 'vector') return `[${vector.join(',')}]`
  const bytes = Buffer.allocUnsafe(4 + vector.byteLength)
  bytes.writeUInt16BE(vector.length, 0)
  bytes.writeUInt16BE(0, 2)
  const numbers = bytes.subarray(4)
  numbers.set(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength))
  if (endianness() === 'LE') numbers.swap32()
  return bytes
}

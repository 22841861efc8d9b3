import { pipeline } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import type { Answer } from './pass-on.ts'

// Each part is decoded as it arrives, so that a stream can be read while it is still being written.
const FLUSHED = { flush: constants.Z_SYNC_FLUSH }
const DECODERS = new Map([
  ['gzip', () => createGunzip(FLUSHED)],
  ['x-gzip', () => createGunzip(FLUSHED)],
  ['deflate', () => createInflate(FLUSHED)],
  ['br', () => createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH })],
  ['zstd', () => createZstdDecompress({ flush: constants.ZSTD_e_flush })],
])

/** Decodes the body of an answer, and leaves one as it is that has no encoding, or one that is unknown. */
export function decodeBody(answer: Answer): Answer {
  const { 'content-encoding': encoding, 'content-length': _length, ...headers } = answer.headers
  const decoder = typeof encoding === 'string' ? DECODERS.get(encoding.trim().toLowerCase()) : undefined
  if (!decoder) return answer
  const body = decoder()
  // Its errors reach whoever reads the body.
  pipeline(answer.body, body, () => {})
  return { ...answer, headers, body }
}

import { createHash, type Hash } from 'node:crypto'
import { Transform } from 'node:stream'

/** A named content of an archive, as the list at its end describes it. */
export type Part = {
  readonly name: string
  readonly bytes: number
  /** Size and digest of the compressed content, which is what the archive stores. */
  readonly stored_bytes: number
  readonly stored_sha256: string
}

/** Such a description in the first form of archives, whose digest is that of the content itself. */
export type FormerPart = { readonly name: string; readonly bytes: number; readonly sha256: string }

/** The part that ends an archive: all others with their digests, and what else its maker says of it. */
export const LIST = 'manifest.json'

/** Ends the names of the files of a part. The first form of archives has none. */
export const STORED_SUFFIX = '.zst'

/** Counts the bytes that flow through it, and adds them to a digest. */
export function createMeter(hash?: Hash) {
  let bytes = 0
  const through = new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      hash?.update(chunk)
      bytes += chunk.length
      callback(null, chunk)
    },
  })
  return { through, bytes: () => bytes }
}

export function createPartHash(): Hash {
  return createHash('sha256')
}

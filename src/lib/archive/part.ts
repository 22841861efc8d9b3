import { createHash } from 'node:crypto'
import { Transform } from 'node:stream'

/** A named content of an archive, as the list at its end describes it. */
export type Part = { readonly name: string; readonly bytes: number; readonly sha256: string }

/** The part that ends an archive: all others with their digests, and what else its maker says of it. */
export const LIST = 'manifest.json'

/** Measures what flows through. `result` may be called once, after the end. */
export function createDigest() {
  const hash = createHash('sha256')
  let bytes = 0
  const through = new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      hash.update(chunk)
      bytes += chunk.length
      callback(null, chunk)
    },
  })
  return { through, result: () => ({ bytes, sha256: hash.digest('hex') }) }
}

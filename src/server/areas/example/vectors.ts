import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Filled } from './fill.ts'
import { HANDBOOK } from './handbook.ts'

const DIMENSIONS = 384
const DIGEST_BYTES = 32

/** The texts that are embedded, one for each article. */
export const HANDBOOK_TEXTS: readonly string[] = HANDBOOK.map(({ title, body }) => `${title}\n${body}`)

/** Reads the articles with their vectors. Throws if the file was made from other texts. */
export function readVectors(file: string): Filled[] {
  const bytes = readFileSync(file)
  if (!bytes.subarray(0, DIGEST_BYTES).equals(digestOfTexts())) {
    throw new Error(`${file} holds vectors of other texts: run npm run example:embed`)
  }
  return HANDBOOK.map((article, at) => ({ ...article, embedding: vectorAt(bytes, at) }))
}

/** Returns the content of the file: a digest of the texts, then the vectors as little-endian 32-bit floats. */
export function writeVectors(vectors: readonly Float32Array[]): Buffer {
  const bytes = Buffer.alloc(DIGEST_BYTES + vectors.length * DIMENSIONS * 4)
  digestOfTexts().copy(bytes)
  for (const [at, value] of vectors.flatMap((vector) => [...vector]).entries()) {
    bytes.writeFloatLE(value, DIGEST_BYTES + at * 4)
  }
  return bytes
}

function vectorAt(bytes: Buffer, article: number): number[] {
  const start = DIGEST_BYTES + article * DIMENSIONS * 4
  return Array.from({ length: DIMENSIONS }, (_, at) => bytes.readFloatLE(start + at * 4))
}

function digestOfTexts(): Buffer {
  return hash('sha256', JSON.stringify(HANDBOOK_TEXTS), 'buffer')
}

import { hash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type Article = { slug: string; title: string; category: string; published: boolean; body: string }
export type EmbeddedArticle = Article & { embedding: readonly number[] }

const DIMENSIONS = 384
const DIGEST_BYTES = 32
const VECTORS = 'vectors.bin'

/** Reads the handbook of a company that does not exist. */
export function readArticles(folder: string): Article[] {
  return JSON.parse(readFileSync(join(folder, 'articles.json'), 'utf8')) as Article[]
}

/** The text of an article that is embedded. */
export function embeddedText({ title, body }: Article): string {
  return `${title}\n${body}`
}

/** Reads the articles with their vectors. Throws if the vectors were made from other texts. */
export function readHandbook(folder: string): EmbeddedArticle[] {
  const articles = readArticles(folder)
  const bytes = readFileSync(join(folder, VECTORS))
  if (!bytes.subarray(0, DIGEST_BYTES).equals(digestOfTexts(articles))) {
    throw new Error(`${join(folder, VECTORS)} holds vectors of other texts: run npm run example:embed`)
  }
  return articles.map((article, at) => ({ ...article, embedding: vectorAt(bytes, at) }))
}

/** Writes the file of the vectors: a digest of the texts, then the vectors as little-endian 32-bit floats. */
export function writeVectors(folder: string, vectors: readonly Float32Array[]): void {
  const bytes = Buffer.alloc(DIGEST_BYTES + vectors.length * DIMENSIONS * 4)
  digestOfTexts(readArticles(folder)).copy(bytes)
  for (const [at, value] of vectors.flatMap((vector) => [...vector]).entries()) {
    bytes.writeFloatLE(value, DIGEST_BYTES + at * 4)
  }
  writeFileSync(join(folder, VECTORS), bytes)
}

function vectorAt(bytes: Buffer, article: number): number[] {
  const start = DIGEST_BYTES + article * DIMENSIONS * 4
  return Array.from({ length: DIMENSIONS }, (_, at) => bytes.readFloatLE(start + at * 4))
}

function digestOfTexts(articles: readonly Article[]): Buffer {
  return hash('sha256', JSON.stringify(articles.map(embeddedText)), 'buffer')
}

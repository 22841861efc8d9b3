import { hash } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BUILTIN_DIMENSIONS, BUILTIN_MODEL, createBuiltin } from '../../src/server/areas/ai/builtin/builtin.ts'

const KEY_BYTES = 32
const RECORD_BYTES = KEY_BYTES + 4 * BUILTIN_DIMENSIONS
const BATCH = 128

/**
 * Embeds texts with the shipped model and keeps the vectors in a file of the temporary folder, so that a later run embeds
 * only texts that are new. A record is the digest of model and text, then the numbers. A record that a crash cut off is
 * dropped.
 */
export async function embedOnce(texts: readonly string[]): Promise<Float32Array[]> {
  const path = join(tmpdir(), `svc-bench-${BUILTIN_MODEL.replaceAll('/', '-')}.vectors`)
  const vectors = readRecords(await readFile(path).catch(() => Buffer.alloc(0)))
  const missing = [...new Set(texts)].filter((text) => !vectors.has(keyOf(text)))
  if (missing.length > 0) await embedInto(path, vectors, missing)
  return texts.map((text) => vectors.get(keyOf(text))!)
}

async function embedInto(path: string, vectors: Map<string, Float32Array>, texts: readonly string[]): Promise<void> {
  await using model = createBuiltin()
  await using file = await open(path, 'a+')
  const { size } = await file.stat()
  await file.truncate(size - (size % RECORD_BYTES))
  const signal = new AbortController().signal
  const started = performance.now()
  for (let from = 0; from < texts.length; from += BATCH) {
    const batch = texts.slice(from, from + BATCH)
    const { vectors: batchVectors } = await model.embed(batch, signal)
    await file.appendFile(Buffer.concat(batch.map((text, i) => recordOf(text, batchVectors[i]!))))
    for (const [i, text] of batch.entries()) vectors.set(keyOf(text), batchVectors[i]!)
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  console.log(`embedded ${texts.length} texts in ${seconds} s; ${path} has them for later runs`)
}

function readRecords(bytes: Buffer): Map<string, Float32Array> {
  const vectors = new Map<string, Float32Array>()
  for (let at = 0; at + RECORD_BYTES <= bytes.length; at += RECORD_BYTES) {
    const numbers = bytes.subarray(at + KEY_BYTES, at + RECORD_BYTES)
    // Copied, because a view of floats must begin at a multiple of four of its buffer.
    vectors.set(bytes.toString('hex', at, at + KEY_BYTES), new Float32Array(new Uint8Array(numbers).buffer))
  }
  return vectors
}

function recordOf(text: string, vector: Float32Array): Buffer {
  return Buffer.concat([
    Buffer.from(keyOf(text), 'hex'),
    Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength),
  ])
}

function keyOf(text: string): string {
  return hash('sha256', `${BUILTIN_MODEL}\n${text}`)
}

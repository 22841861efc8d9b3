import { hash, randomBytes } from 'node:crypto'
import type { Vector } from './provider.ts'

/** Beside the vector: the digest, and what a Map needs for an entry, roughly. */
const ENTRY_BYTES = 200

export type VectorCache = {
  has(model: string, text: string): boolean
  get(model: string, text: string): Vector | undefined
  put(model: string, text: string, vector: Vector): void
}

/** In memory only, and without the texts: a digest under a key of this process cannot be tried out against guesses. */
export function createVectorCache(maxBytes: number): VectorCache {
  const key = randomBytes(32).toString('hex')
  const kept = new Map<string, Vector>()
  let bytes = 0
  // No HMAC, which costs several times as much: nobody sees a digest, so nobody can lengthen one.
  const digest = (model: string, text: string) => hash('sha256', key + JSON.stringify([model, text]), 'base64')
  const drop = (id: string) => {
    const vector = kept.get(id)
    if (vector && kept.delete(id)) bytes -= sizeOf(vector)
    return vector
  }
  const add = (id: string, vector: Vector) => {
    kept.set(id, vector)
    bytes += sizeOf(vector)
    for (const oldest of kept.keys()) {
      if (bytes <= maxBytes) break
      drop(oldest)
    }
  }
  return {
    has: (model, text) => kept.has(digest(model, text)),
    get: (model, text) => {
      const id = digest(model, text)
      const vector = drop(id)
      if (vector) add(id, vector)
      // A copy: whoever hands theirs on to a thread leaves ours whole.
      return vector?.slice()
    },
    put: (model, text, vector) => {
      const id = digest(model, text)
      drop(id)
      add(id, vector.slice())
    },
  }
}

function sizeOf(vector: Vector): number {
  return vector.byteLength + ENTRY_BYTES
}

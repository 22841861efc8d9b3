import { hash } from 'node:crypto'
import { seeded } from '#test/seeded.ts'
import type { Builtin } from '../../src/server/areas/ai/builtin/builtin.ts'

export type Model = { name: string; embed(text: string): Promise<number[]> }

const SIZE = 384

/**
 * The built-in model and four stand-ins for other models of the same size. Two see the meaning that the built-in one
 * sees, in coordinates of their own; two see words or letters. Two have vectors that are all near to each other.
 */
export function createModels(builtin: Builtin): Model[] {
  const meaning = remembered(async (text) => {
    const { vectors } = await builtin.embed([text], new AbortController().signal)
    return [...vectors[0]!]
  })
  const words = async (text: string) => hashed(text.toLowerCase().match(/[a-z]+/g) ?? [], 11)
  const trigrams = async (text: string) =>
    hashed(
      Array.from({ length: Math.max(0, text.length - 2) }, (_, i) => text.slice(i, i + 3)),
      12,
    )
  return [
    { name: 'built-in', embed: meaning },
    { name: 'turned', embed: projected(meaning, 21) },
    { name: 'words', embed: words },
    { name: 'trigrams, crowded', embed: crowded(trigrams, 31) },
    { name: 'squashed, crowded', embed: crowded(squashed(projected(meaning, 22)), 32) },
  ]
}

function remembered(embed: Model['embed']): Model['embed'] {
  const vectors = new Map<string, Promise<number[]>>()
  return (text) => {
    const vector = vectors.get(text) ?? embed(text)
    vectors.set(text, vector)
    return vector
  }
}

/** Multiplies by a random matrix, which keeps angles and changes all coordinates. */
function projected(embed: Model['embed'], seed: number): Model['embed'] {
  const matrix = Array.from({ length: SIZE }, gaussians(seed))
  return remembered(async (text) => {
    const vector = await embed(text)
    return matrix.map((row) => row.reduce((sum, value, i) => sum + value * vector[i]!, 0))
  })
}

function squashed(embed: Model['embed']): Model['embed'] {
  return async (text) => (await embed(text)).map((value) => Math.tanh(2 * value))
}

/** Adds the same large vector to all. */
function crowded(embed: Model['embed'], seed: number): Model['embed'] {
  const common = gaussians(seed)()
  return remembered(async (text) => {
    const vector = await embed(text)
    const length = Math.hypot(...vector)
    return vector.map((value, i) => value / length + 0.15 * common[i]!)
  })
}

/** Adds up a random vector for each part of a text. */
function hashed(parts: readonly string[], seed: number): number[] {
  const sum = Array<number>(SIZE).fill(0)
  for (const part of parts) {
    const random = seeded((Number.parseInt(hash('sha256', `${seed} ${part}`).slice(0, 7), 16) % 2_147_483_646) + 1)
    for (let i = 0; i < SIZE; i++) sum[i]! += random() - 0.5
  }
  return sum
}

function gaussians(seed: number): () => number[] {
  const random = seeded(seed)
  const gaussian = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  return () => Array.from({ length: SIZE }, gaussian)
}

import { hash } from 'node:crypto'
import { seeded } from '../seeded.ts'

export type WordModel = (text: string) => Float32Array

/**
 * A stand-in for an embedding model: the sum of a vector for each word and of one that all texts share, of length 1.
 * Another seed is another model, whose directions have nothing to do with those of this one.
 */
export function createWordModel(seed: number, dimensions: number): WordModel {
  const vectors = new Map<string, Float64Array>()
  const vectorOf = (word: string) => {
    const cached = vectors.get(word)
    if (cached) return cached
    const random = seeded(1 + (Number.parseInt(hash('sha256', `${seed} ${word}`).slice(0, 8), 16) % 2_147_483_645))
    const vector = Float64Array.from({ length: dimensions }, () => gaussian(random))
    vectors.set(word, vector)
    return vector
  }
  return (text) => {
    const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? []
    const sum = vectorOf('').map((number) => number * 0.6 * Math.sqrt(words.length))
    for (const word of words) {
      const vector = vectorOf(word)
      for (let i = 0; i < dimensions; i++) sum[i]! += vector[i]!
    }
    const length = Math.sqrt(sum.reduce((all, number) => all + number * number, 0))
    return Float32Array.from(sum, (number) => number / length)
  }
}

function gaussian(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

/** A sentence of this many words of a language of 2,000, some far more frequent than others. */
export function makeText(words: number, random: () => number): string {
  return Array.from({ length: words }, () => `w${Math.floor(2_000 * random() ** 2)}`).join(' ')
}

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seeded } from '#test/seeded.ts'
import { resembles } from './resembles.ts'

/** Vectors of a model that does not exist: the same seed gives the same ones. */
function vectors(seed: number, count: number, size = 64): number[][] {
  const random = seeded(seed)
  const gauss = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  return Array.from({ length: count }, () => Array.from({ length: size }, gauss))
}
const plus = (a: readonly number[], b: readonly number[], weight: number) => a.map((v, i) => v + weight * b[i]!)
const noisy = (of: readonly number[][], seed: number, weight: number) => {
  const noise = vectors(seed, of.length)
  return of.map((vector, i) => plus(vector, noise[i]!, weight))
}

describe('DS-06 whether stored vectors resemble those of a model', () => {
  const stored = vectors(1, 64)
  const modelVectors = stored.slice(0, 8)
  const [common] = vectors(2, 1)
  const far = (of: readonly number[][]) => of.map((vector) => plus(vector, common!, 20))

  it.each([
    ['the same vectors', { modelVectors, stored }, true, 8],
    ['vectors of another length', { modelVectors: modelVectors.map((v) => v.map((n) => n * 7)), stored }, true, 8],
    ['vectors of part of the text', { modelVectors: noisy(modelVectors, 3, 1), stored }, true, 8],
    [
      'all vectors near to each other, as some models make them',
      { modelVectors: far(noisy(modelVectors, 3, 0.5)), stored: far(stored) },
      true,
      8,
    ],
    ['no other rows', { modelVectors, stored: modelVectors }, true, 8],
    ['four rows', { modelVectors: modelVectors.slice(0, 4), stored: modelVectors.slice(0, 4) }, true, 4],
    ['duplicates of the rows', { modelVectors, stored: [...modelVectors, ...modelVectors, ...modelVectors] }, true, 8],
    ['vectors of another model', { modelVectors: vectors(9, 8), stored }, false, 8],
    [
      'another model whose vectors are all near to each other',
      { modelVectors: far(vectors(9, 8)), stored: far(stored) },
      false,
      8,
    ],
    ['the vectors of other rows', { modelVectors: stored.slice(8, 16), stored }, false, 8],
    ['the opposite vectors', { modelVectors: modelVectors.map((v) => v.map((n) => -n)), stored }, false, 8],
    ['four rows of another model', { modelVectors: vectors(11, 4), stored: vectors(12, 4) }, false, 4],
  ])('%s', (_, sample, isAlike, rows) => {
    expect(resembles(sample)).toMatchObject({ isAlike, rows })
  })

  it.each([
    ['no rows', { modelVectors: [], stored: [] }],
    ['three rows', { modelVectors: modelVectors.slice(0, 3), stored }],
    ['rows with the same content', { modelVectors: modelVectors.map(() => modelVectors[0]!), stored }],
    ['rows with the same vector', { modelVectors, stored: modelVectors.map(() => stored[0]!) }],
    ['vectors without a direction', { modelVectors, stored: modelVectors.map((v) => v.map(() => 0)) }],
    ['vectors with other dimensions', { modelVectors, stored: vectors(1, 64, 32) }],
    ['numbers that are none', { modelVectors: modelVectors.map((v) => v.map(() => Number.NaN)), stored }],
  ])('%s cannot be compared', (_, sample) => {
    expect(resembles(sample)).toBeUndefined()
  })

  it('a right model resembles, whatever its vectors are', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1 }), fc.integer({ min: 8, max: 64 }), (seed, count) => {
        const own = vectors(seed, count)
        return resembles({ modelVectors: noisy(own.slice(0, 8), seed + 1, 0.5), stored: own })?.isAlike === true
      }),
      { numRuns: 30, seed: 7 },
    )
  })

  it('the order of the rows and the length of the vectors do not matter for a right or an unrelated model', () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 8 }),
        fc.double({ min: 0.01, max: 100, noNaN: true }),
        (order, length) => {
          const of = (vectorsOfModel: number[][]) =>
            resembles({
              modelVectors: order.map((row) => vectorsOfModel[row]!.map((n) => n * length)),
              stored: [...order.map((row) => stored[row]!), ...stored.slice(8)],
            })?.isAlike
          return of(noisy(modelVectors, 5, 0.5)) === true && of(vectors(9, 8)) === false
        },
      ),
      { numRuns: 20, seed: 7 },
    )
  })

  it('another model is taken for the right one about five times in a thousand', () => {
    const mistakes = Array.from({ length: 100 }, (_, seed) =>
      resembles({ modelVectors: vectors(seed + 1_000, 8, 16), stored: vectors(seed + 5_000, 32, 16) }),
    ).filter((found) => found!.isAlike)
    expect(mistakes.length).toBeLessThanOrEqual(3)
  })

  it('the same sample always gets the same answer', () => {
    const sample = { modelVectors: vectors(21, 8), stored: vectors(22, 20) }
    expect(resembles(sample)).toEqual(resembles(sample))
  })
})

import { seeded } from '../seeded.ts'

/** Choices that the same seed makes again. */
export type Chance = {
  /** From 0 to below `limit`. */
  int(limit: number): number
  /** True with this probability. */
  is(probability: number): boolean
  oneOf<T>(list: readonly T[]): T
  /** Picks by weight: an entry of weight 2 is picked twice as often as one of weight 1. */
  weighted<T>(list: readonly (readonly [weight: number, value: T])[]): T
}

export function createChance(seed: number): Chance {
  const random = seeded(seed)
  // Small seeds that follow each other begin with similar numbers.
  for (let n = 0; n < 10; n++) random()
  const int = (limit: number) => Math.floor(random() * limit)
  return {
    int,
    is: (probability) => random() < probability,
    oneOf: (list) => list[int(list.length)]!,
    weighted: (list) => {
      let left = random() * list.reduce((sum, [weight]) => sum + weight, 0)
      const picked = list.find(([weight]) => {
        left -= weight
        return left < 0
      })
      return (picked ?? list.at(-1)!)[1]
    },
  }
}

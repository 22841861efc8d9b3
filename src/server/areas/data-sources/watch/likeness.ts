type Vector = ArrayLike<number>

/** Vectors this near are of the same text, written with other digits or by another run of the same model. */
export const SAME_TEXT = 0.99
/** Below this the vector is of another text. Between the two, nothing is said. */
export const OTHER_TEXT = 0.95

export function cosine(a: Vector, b: Vector): number {
  let [ab, aa, bb] = [0, 0, 0]
  for (let i = 0; i < a.length; i++) {
    ab += a[i]! * b[i]!
    aa += a[i]! * a[i]!
    bb += b[i]! * b[i]!
  }
  return ab / Math.sqrt(aa * bb)
}

export function unit(vector: Vector): Float64Array {
  const numbers = Float64Array.from(vector)
  const norm = Math.hypot(...numbers)
  return numbers.map((number) => number / norm)
}

export function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}

export function medianOf(numbers: readonly number[]): number {
  return quantileOf(numbers, 0.5)
}

/** The number that this share of the numbers is below. 0 of none. */
export function quantileOf(numbers: readonly number[], share: number): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(share * numbers.length)] ?? 0
}

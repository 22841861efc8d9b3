/**
 * Vectors of a column and of a model. `modelVectors[i]` is the configured model's vector of the content of a row,
 * `stored[i]` the column's vector of the same row; the stored vectors after that are those of other rows.
 */
type VectorSample = { readonly modelVectors: readonly Vector[]; readonly stored: readonly Vector[] }
type Vector = ArrayLike<number>

/** `chance` is the probability of such a likeness if the vectors had nothing to do with the content. */
type Resemblance = { readonly isAlike: boolean; readonly chance: number; readonly rows: number }

/** With fewer rows even a perfect likeness happens by chance more often than one time in twenty. */
export const MIN_COMPARED_ROWS = 4

/**
 * Whether vectors of a column resemble those that a model makes of the same rows. Returns undefined if fewer than four
 * rows can be told apart.
 *
 * No similarity is large or small by itself: models differ in how similar all their vectors are, and content columns may
 * be only part of the text that was embedded. So the likeness of each row with its own vector is compared with its
 * likeness with the vectors of other rows, in a permutation test: the sum over the rows is computed for other ways to
 * deal out the stored vectors. If another model filled the column, the true way is as good as any other.
 */
export function resembles(sample: VectorSample): Resemblance | undefined {
  const { modelVectors, stored } = distinctRows(sample)
  if (modelVectors.length < MIN_COMPARED_ROWS) return undefined
  const likeness = centred(modelVectors.map((vector) => stored.map((other) => dot(vector, other))))
  const chance = chanceOf(likeness)
  return { isAlike: chance <= maxChance(stored.length), chance, rows: modelVectors.length }
}

/**
 * The largest chance at which vectors count as alike, which is also how often another model is not noticed. Fewer
 * vectors are a weaker comparison: a right model may then be beaten by an order that swaps two similar rows.
 * `bench/model-check` measures false alarms and wrong models that are found.
 */
function maxChance(vectors: number): number {
  return vectors < 8 ? 0.05 : 0.005
}

/** Leaves out vectors without a direction and repeated ones, which would be as near as a row's own. */
function distinctRows({ modelVectors, stored }: VectorSample): { modelVectors: number[][]; stored: number[][] } {
  const distinctModel: number[][] = []
  const distinctOwn: number[][] = []
  const others: number[][] = []
  for (const [i, vector] of stored.entries()) {
    const own = unit(vector)
    const model = modelVectors[i] && unit(modelVectors[i])
    if (!isUsable(own) || isRepeated(own, distinctOwn) || isRepeated(own, others)) continue
    if (!model) others.push(own)
    else if (isUsable(model) && model.length === own.length && !isRepeated(model, distinctModel)) {
      distinctModel.push(model)
      distinctOwn.push(own)
    }
  }
  return { modelVectors: distinctModel, stored: [...distinctOwn, ...others] }
}

/** Cosine above which two vectors are of the same text, written with other digits, such as those of a `halfvec`. */
const SAME_DIRECTION = 0.9999

function isRepeated(vector: readonly number[], others: readonly (readonly number[])[]): boolean {
  return others.some((other) => dot(other, vector) > SAME_DIRECTION)
}

/** Subtracts from each number the mean of its column: some vectors are near to everything. */
function centred(likeness: readonly (readonly number[])[]): number[][] {
  const means = likeness[0]!.map((_, column) => likeness.reduce((sum, row) => sum + row[column]!, 0) / likeness.length)
  return likeness.map((row) => row.map((value, column) => value - means[column]!))
}

/** Ways to deal out that are tried: enough to tell a chance of 0.005, in a few milliseconds. */
const TRIED_WAYS = 5_000
/** Sums of the same numbers in another order differ by less. */
const ROUNDING = 1e-9

/** The share of the ways to deal out the columns to the rows, the true one included, that are not worse than it. */
function chanceOf(likeness: readonly (readonly number[])[]): number {
  const trueSum = likeness.reduce((sum, row, i) => sum + row[i]!, 0) - ROUNDING
  const random = createRandom()
  const columns = likeness[0]!.map((_, column) => column)
  let notWorse = 1
  for (let way = 0; way < TRIED_WAYS; way++) {
    let sum = 0
    for (const [i, row] of likeness.entries()) {
      const chosen = i + Math.floor(random() * (columns.length - i))
      const column = columns[chosen]!
      columns[chosen] = columns[i]!
      columns[i] = column
      sum += row[column]!
    }
    if (sum >= trueSum) notWorse++
  }
  return notWorse / (TRIED_WAYS + 1)
}

/** The same numbers every time (mulberry32), so that the same rows always get the same answer. */
function createRandom(): () => number {
  let state = 0x9e3779b9
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

function dot(a: readonly number[], b: readonly number[]): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}

function unit(vector: Vector): number[] {
  const values = Array.from(vector)
  const length = Math.sqrt(dot(values, values))
  return values.map((value) => value / length)
}

function isUsable(vector: readonly number[]): boolean {
  return vector.length > 0 && vector.every((value) => Number.isFinite(value))
}

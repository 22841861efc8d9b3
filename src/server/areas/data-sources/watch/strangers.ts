import { dot, medianOf, quantileOf, unit } from './likeness.ts'

/** Fewer rows or numbers do not show how much the rows of a table have in common. */
const MIN_ROWS = 100
const MIN_DIMENSIONS = 32
/** A row is a stranger if it has little more in common with the table than a random direction has, which is 1. */
export const MAX_STRANGER = 1.5
/** The other rows must have this much in common, in the median and nearly all of them. */
const MIN_USUAL = 5
const MIN_NEARLY_ALL = 2.5
/** The rows with least in common are left out of what the others have in common, because they may be the strangers. */
const TRIMMED_SHARE = 0.2
/** Where another model filled a third of a table, the rows around a typical one show what its own rows have in common. */
const SEED_SHARE = 0.3
const MIN_PART_SHARE = 0.1
/** Rows nearer than this are of one subject, where vectors are not all alike. */
export const SAME_SUBJECT = 0.5

/**
 * Finds vectors that have nothing in common with the others, as if their directions were random: those of another model.
 * Returns undefined if the table does not allow to tell. `strangers[i]` belongs to `vectors[i]`.
 *
 * Two texts in vectors of one model are never quite unrelated, because all its vectors share some directions: the mean
 * of the squared cosine is several times 1/dimensions. Vectors of two models have independent directions, so it is
 * 1/dimensions. Rows of the same subject are not counted: in a table of subjects that have nothing in common with each
 * other, every row would be near to its own subject and a small subject would look like another model.
 */
export function findStrangers(vectors: readonly ArrayLike<number>[]): boolean[] | undefined {
  const dimensions = vectors[0]?.length ?? 0
  if (vectors.length < MIN_ROWS || dimensions < MIN_DIMENSIONS) return undefined
  const cosines = cosinesOf(vectors.map(unit))
  const all = vectors.map((_, i) => i)
  const common = commonWith(cosines, all, dimensions)
  const cut = quantileOf(common, TRIMMED_SHARE)
  const trimmed = commonWith(
    cosines,
    all.filter((i) => common[i]! > cut),
    dimensions,
  )
  const strangers = judge(trimmed)
  const parts = strangers && judge(commonWith(cosines, around(cosines, common), dimensions))
  return parts && shareOf(parts) >= MIN_PART_SHARE ? parts : strangers
}

function judge(common: readonly number[]): boolean[] | undefined {
  const usual = medianOf(common)
  // A direction that all vectors of a model share makes random ones vary more, and their own likeness far larger.
  const limit = Math.max(MAX_STRANGER, usual / 16)
  const others = common.filter((each) => each > limit)
  const isTold = usual >= MIN_USUAL && quantileOf(others, 0.05) >= MIN_NEARLY_ALL
  return isTold ? common.map((each) => each <= limit) : undefined
}

function shareOf(strangers: readonly boolean[]): number {
  return strangers.filter(Boolean).length / strangers.length
}

/** The rows that are most alike to a typical row. */
function around(cosines: readonly Float64Array[], common: readonly number[]): number[] {
  const typical = common.indexOf(quantileOf(common, 0.9))
  const order = common.map((_, i) => i).toSorted((a, b) => cosines[typical]![b]! - cosines[typical]![a]!)
  return order.slice(0, Math.ceil(SEED_SHARE * order.length))
}

/** For each row, the mean of the squared cosine with these rows of other subjects, times the dimensions. */
function commonWith(cosines: readonly Float64Array[], rows: readonly number[], dimensions: number): number[] {
  // Vectors of some models are all alike, so it counts how much nearer two rows are.
  const usual = medianOf(cosines.map((row) => medianOf([...row])))
  const sameSubject = usual + (1 - usual) * SAME_SUBJECT
  return cosines.map((row, i) => {
    const others = rows.filter((j) => j !== i && row[j]! < sameSubject)
    return others.length === 0 ? 1 : (dimensions * others.reduce((sum, j) => sum + row[j]! ** 2, 0)) / others.length
  })
}

function cosinesOf(vectors: readonly Float64Array[]): Float64Array[] {
  const cosines = vectors.map(() => new Float64Array(vectors.length))
  for (let i = 0; i < vectors.length; i++) {
    for (let j = 0; j < i; j++) {
      const likeness = dot(vectors[i]!, vectors[j]!)
      cosines[i]![j] = likeness
      cosines[j]![i] = likeness
    }
  }
  return cosines
}

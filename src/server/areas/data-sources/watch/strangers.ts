import { dot, medianOf, quantileOf, unit } from './likeness.ts'

/** Fewer rows or numbers do not show how much the rows of a table have in common. */
const MIN_ROWS = 100
const MIN_DIMENSIONS = 32
/** A row is a stranger if it has little more in common with the table than a random direction has, which is 1. */
const MAX_STRANGER = 1.5
/** The other rows must have this much in common, in the median and nearly all of them. */
const MIN_USUAL = 5
const MIN_NEARLY_ALL = 2.5
/** The rows with least in common are left out of what the others have in common, because they may be the strangers. */
const TRIMMED_SHARE = 0.2
/** Where another model filled much of a table, the rows around a typical one show what its own rows have in common. */
const SEED_SHARE = 0.3
const MIN_PART_SHARE = 0.1
/** Rows nearer than this are of one subject, where vectors are not all alike. */
const SAME_SUBJECT = 0.5

/** `strangers[i]` belongs to the vector `i`. With the two numbers SQL can list the others of the table. */
type Strangers = { readonly strangers: readonly boolean[]; readonly limit: number; readonly same_subject: number }

/**
 * Finds vectors that have nothing in common with the others, as if their directions were random: those of another model.
 * Returns undefined if the table does not allow to tell.
 *
 * Two texts in vectors of one model are never quite unrelated, because all its vectors share some directions: the mean
 * of the squared cosine is several times 1/dimensions. Vectors of two models have independent directions, so it is
 * 1/dimensions. Rows of the same subject are not counted: in a table of subjects that have nothing in common with each
 * other, every row would be near to its own subject and a small subject would look like another model.
 */
export function findStrangers(vectors: readonly ArrayLike<number>[]): Strangers | undefined {
  const dimensions = vectors[0]?.length ?? 0
  if (vectors.length < MIN_ROWS || dimensions < MIN_DIMENSIONS) return undefined
  const cosines = cosinesOf(vectors.map(unit))
  // Vectors of some models are all alike, so it counts how much nearer two rows are.
  const usual = medianOf(cosines.slice(0, MIN_ROWS).map((row) => medianOf([...row])))
  const sameSubject = usual + (1 - usual) * SAME_SUBJECT
  const commonWith = (isCounted: (row: number) => boolean) =>
    commonness(cosines, sameSubject, isCounted).map((mean) => mean * dimensions)
  const common = commonWith(() => true)
  const cut = quantileOf(common, TRIMMED_SHARE)
  const found = judge(commonWith((row) => common[row]! > cut))
  const isNear = around(cosines, common)
  const parts = found && judge(commonWith((row) => isNear.has(row)))
  const best = parts && shareOf(parts.strangers) >= MIN_PART_SHARE ? parts : found
  return best && { ...best, same_subject: sameSubject }
}

function judge(common: readonly number[]): Pick<Strangers, 'strangers' | 'limit'> | undefined {
  const usual = medianOf(common)
  // A direction that all vectors of a model share makes random ones vary more, and their own likeness far larger.
  const limit = Math.max(MAX_STRANGER, usual / 16)
  const others = common.filter((each) => each > limit)
  const isTold = usual >= MIN_USUAL && quantileOf(others, 0.05) >= MIN_NEARLY_ALL
  return isTold ? { strangers: common.map((each) => each <= limit), limit } : undefined
}

function shareOf(strangers: readonly boolean[]): number {
  return strangers.filter(Boolean).length / strangers.length
}

/** The rows that are most alike to a typical row. */
function around(cosines: readonly Float64Array[], common: readonly number[]): ReadonlySet<number> {
  const typical = cosines[common.indexOf(quantileOf(common, 0.9))]!
  const order = common.map((_, i) => i).toSorted((a, b) => typical[b]! - typical[a]!)
  return new Set(order.slice(0, Math.ceil(SEED_SHARE * order.length)))
}

/** For each row, the mean of the squared cosine with the counted rows of other subjects. */
function commonness(
  cosines: readonly Float64Array[],
  sameSubject: number,
  isCounted: (row: number) => boolean,
): number[] {
  const counted = cosines.map((_, j) => j).filter(isCounted)
  return cosines.map((row, i) => {
    let [sum, count] = [0, 0]
    for (const j of counted) {
      const likeness = row[j]!
      if (j === i || likeness >= sameSubject) continue
      sum += likeness * likeness
      count++
    }
    return count === 0 ? 1 : sum / count
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

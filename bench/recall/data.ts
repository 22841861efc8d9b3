/** Synthetic embeddings in overlapping clusters. */
export type Row = { id: number; cluster: number; bucket: number }
export type Data = {
  dimensions: number
  rows: Row[]
  /** The vectors of all rows in one array. Integers, because they are fast to write and exact as floats. */
  vectors: Int16Array
  questions: Record<QuestionKind, { cluster: number; vector: Int16Array }[]>
}

/** Where questions lie: around the rows' own centres, in the middle of two centres, or in a direction without rows. */
export const QUESTION_KINDS = ['same', 'between', 'far'] as const
export type QuestionKind = (typeof QUESTION_KINDS)[number]

/** `uniform`: every row is a random direction, so that rows have no neighbours that an index could follow. */
export type Shape = 'clusters' | 'uniform'

const CLUSTERS = 200
/** Number of independent directions in which the texts of one subject vary; all dimensions are derived from these. */
const LATENT = 32
/** Twice the distance between clusters, so that most neighbours of a row are in another cluster. */
const SPREAD = 1.25
const BUCKETS = 1_000

type Size = { rows: number; dimensions: number; questions: number; shape?: Shape }

export function makeData(random: () => number, size: Size): Data {
  const normal = () => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random())
  const directions = Float32Array.from({ length: size.dimensions * LATENT }, normal)
  const centres = Float32Array.from({ length: CLUSTERS * LATENT }, normal)
  const latent = new Float32Array(LATENT)
  const anyCluster = () => Math.floor(random() * CLUSTERS)
  const centreOf: Record<QuestionKind, (cluster: number) => (i: number) => number> = {
    same: (cluster) => (i) => centres[cluster * LATENT + i]!,
    between: (cluster) => {
      const other = anyCluster()
      return (i) => (centres[cluster * LATENT + i]! + centres[other * LATENT + i]!) / 2
    },
    far: () => () => 0,
  }
  const draw = (into: Int16Array, kind: QuestionKind = 'same'): number => {
    const cluster = anyCluster()
    if (size.shape === 'uniform') {
      for (let i = 0; i < into.length; i++) into[i] = Math.round(normal() * SCALE)
      return cluster
    }
    const centre = centreOf[kind](cluster)
    for (let i = 0; i < LATENT; i++) latent[i] = centre(i) + SPREAD * normal()
    spreadOut(latent, directions, into)
    return cluster
  }
  const vectors = new Int16Array(size.rows * size.dimensions)
  const rows = Array.from({ length: size.rows }, (_, id) => {
    const cluster = draw(vectors.subarray(id * size.dimensions, (id + 1) * size.dimensions))
    return { id, cluster, bucket: Math.floor(random() * BUCKETS) }
  })
  const ask = (kind: QuestionKind) =>
    Array.from({ length: size.questions }, () => {
      const vector = new Int16Array(size.dimensions)
      return { cluster: draw(vector, kind), vector }
    })
  const questions = { same: ask('same'), between: ask('between'), far: ask('far') }
  return { dimensions: size.dimensions, rows, vectors, questions }
}

const SCALE = 200

function spreadOut(latent: Float32Array, directions: Float32Array, into: Int16Array): void {
  for (let i = 0; i < into.length; i++) {
    let sum = 0
    for (let j = 0; j < LATENT; j++) sum += latent[j]! * directions[i * LATENT + j]!
    into[i] = Math.round(sum * SCALE)
  }
}

/** Returns the cosine distance of every row to the question. */
export function distances({ rows, vectors, dimensions }: Data, question: Int16Array): Float64Array {
  const length = Math.hypot(...question)
  const found = new Float64Array(rows.length)
  for (let id = 0; id < rows.length; id++) {
    let [dot, square] = [0, 0]
    for (let i = 0, at = id * dimensions; i < dimensions; i++, at++) {
      const value = vectors[at]!
      dot += value * question[i]!
      square += value * value
    }
    found[id] = 1 - dot / (length * Math.sqrt(square))
  }
  return found
}

/** Park and Miller's generator: the same seed gives the same rows. */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

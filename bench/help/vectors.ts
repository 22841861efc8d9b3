export const DIMENSIONS = 384
export const SEED = 20_261_115

const CLUSTERS = 200
/** Distance of rows from the centre of their cluster. Large enough for clusters to overlap, as topics do. */
const SPREAD = 0.7

/**
 * Generates unit vectors in overlapping clusters, the same for the same `draw`. The centres are those of SEED for every
 * draw, so that questions lie where rows do, as people ask about what is there.
 */
export function createVectors(draw = SEED): () => Float32Array {
  const centreRandom = mulberry(SEED)
  const centres = Array.from({ length: CLUSTERS }, () => direction(centreRandom))
  // The rows go on with the numbers after those of the centres.
  const random = draw === SEED ? centreRandom : mulberry(draw)
  return () => {
    const centre = centres[Math.floor(random() * CLUSTERS)]!
    const away = direction(random)
    return unit(centre.map((value, i) => value + SPREAD * away[i]!))
  }
}

export function toText(vector: Float32Array): string {
  return `[${Array.from(vector, (value) => value.toFixed(6)).join(',')}]`
}

function direction(random: () => number): Float32Array {
  return unit(Float32Array.from({ length: DIMENSIONS }, () => random() + random() + random() - 1.5))
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

function mulberry(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Questions of several kinds, for asking an index. */
export type Points = readonly (readonly Float32Array[])[]

/**
 * Makes questions of two kinds from random rows: the middle of two rows, and the middle of three. Both lie between
 * subjects, where an index finds rows hardest. Rows themselves would mislead, because an index finds them with little
 * effort: on 19,740 texts they asked for an `ef_search` of 40, two rows for 120, and three for 400. Real questions needed
 * 400 to find 0.99.
 */
export function makePoints(rows: readonly Float32Array[], each: number, random: () => number): Points {
  const pick = () => rows[Math.floor(random() * rows.length)]!
  const middleOf = (count: number) => middle(Array.from({ length: count }, pick))
  return [2, 3].map((count) => Array.from({ length: each }, () => middleOf(count)))
}

function middle(rows: readonly Float32Array[]): Float32Array {
  return rows[0]!.map((_, i) => rows.reduce((sum, row) => sum + row[i]!, 0) / rows.length)
}

/** Reads a vector as pgvector writes it. */
export function readVector(text: string): Float32Array {
  return Float32Array.from(JSON.parse(text) as number[])
}

export type Point = { readonly x: number; readonly y: number }

/** Returns the `d` of a path through the points. A missing point leaves a gap: nobody knows what was there. */
export function linePath(points: readonly (Point | null)[]): string {
  return points
    .map((point, index) => (point ? `${points[index - 1] ? 'L' : 'M'}${round(point.x)} ${round(point.y)}` : ''))
    .join('')
}

/** Moves labels apart that stand less than `gap` from each other. Keeps their order and stays between 0 and `most`. */
export function spreadLabels(ys: readonly number[], gap: number, most: number): readonly number[] {
  const order = ys.map((_, index) => index).toSorted((one, other) => ys[one]! - ys[other]!)
  const placed = [...ys]
  order.forEach((index, place) => {
    const above = place === 0 ? Number.NEGATIVE_INFINITY : placed[order[place - 1]!]! + gap
    placed[index] = Math.max(ys[index]!, above)
  })
  const over = Math.max(0, ...placed.map((y) => y - most))
  return placed.map((y) => Math.max(0, y - over))
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

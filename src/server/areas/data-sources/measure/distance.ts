import type { ResolvedEntry } from '../search/entry.ts'

/** The distance that the operator of the metric would give, see `search/metrics.ts`. */
export function distanceBetween(metric: ResolvedEntry['metric'], a: Float32Array, b: Float32Array): number {
  switch (metric) {
    case 'cosine':
      return 1 - dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))
    case 'l2':
      return Math.sqrt(a.reduce((sum, value, i) => sum + (value - b[i]!) ** 2, 0))
    case 'inner_product':
      return -dot(a, b)
    default:
      throw metric satisfies never
  }
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0)
}

/** Leaves out the time before the first call, which would be most of the chart of a young organization. */
export function sinceFirst<T extends { readonly total: number }>(buckets: readonly T[]): readonly T[] {
  const first = buckets.findIndex(({ total }) => total > 0)
  return first === -1 ? [] : buckets.slice(first)
}

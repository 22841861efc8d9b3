/** A sample of the server while it is under load. Times are in milliseconds since the load began. */
export type Sample = { at: number; pssMb: number; files: number; connections: number; p50: number; p99: number }

/** Growth by the least squares of the samples, in percent of their mean per minute. */
export function percentPerMinute(samples: readonly { at: number; value: number }[]): number {
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length
  const [at, value] = [mean(samples.map((one) => one.at)), mean(samples.map((one) => one.value))]
  const spread = samples.reduce((sum, one) => sum + (one.at - at) ** 2, 0)
  const slope = samples.reduce((sum, one) => sum + (one.at - at) * (one.value - value), 0) / spread
  return ((slope * 60_000) / value) * 100
}

/**
 * The lowest sample of each of `windows` spans of time. The engine frees memory now and then, so what it holds between two
 * such moments says nothing; a leak raises the lows.
 */
export function lows(
  samples: readonly { at: number; value: number }[],
  windows: number,
): { at: number; value: number }[] {
  const size = Math.max(1, Math.ceil(samples.length / windows))
  return Array.from({ length: Math.ceil(samples.length / size) }, (_, i) => {
    const span = samples.slice(i * size, (i + 1) * size)
    return span.reduce((low, one) => (one.value < low.value ? one : low))
  })
}

/** The median of the last third of the samples, divided by that of the first third. */
export function lastToFirst(values: readonly number[]): number {
  const third = Math.max(1, Math.floor(values.length / 3))
  return median(values.slice(-third)) / median(values.slice(0, third))
}

/** How much more the last third of the samples has at most than the first third. */
export function growth(values: readonly number[]): number {
  const third = Math.max(1, Math.floor(values.length / 3))
  return Math.max(...values.slice(-third)) - Math.max(...values.slice(0, third))
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}

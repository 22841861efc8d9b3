/** The mean over the tokens the mask lets through, at length 1: one vector for the whole text. */
export function pool(hidden: Float32Array, mask: readonly number[]): Float32Array<ArrayBuffer> {
  const width = hidden.length / mask.length
  const sum = new Float64Array(width)
  mask.forEach((weight, token) => {
    for (let i = 0; i < width; i++) sum[i]! += weight * hidden[token * width + i]!
  })
  // The mean and the sum point the same way; only the direction is kept.
  const length = Math.hypot(...sum)
  return Float32Array.from(sum, (value) => (length === 0 ? 0 : value / length))
}

/** Returns one vector for the whole text: the mean over the tokens that the mask selects, scaled to length 1. */
export function textVector(hidden: Float32Array, mask: readonly number[]): Float32Array<ArrayBuffer> {
  const width = hidden.length / mask.length
  const sum = new Float64Array(width)
  mask.forEach((weight, token) => {
    for (let i = 0; i < width; i++) sum[i]! += weight * hidden[token * width + i]!
  })
  // The sum is enough, because it has the direction of the mean and the length is normalised.
  const length = Math.hypot(...sum)
  return Float32Array.from(sum, (value) => (length === 0 ? 0 : value / length))
}

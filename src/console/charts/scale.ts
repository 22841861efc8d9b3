/** Returns the end of an axis from 0 that holds `most`: 1, 2 or 5 times a power of ten. */
export function scaleTop(most: number): number {
  if (most <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(most))
  const factor = [1, 2, 5, 10].find((step) => step * power >= most)!
  return factor * power
}

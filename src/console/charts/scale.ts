/** Returns the end of an axis from 0 that holds `most`: 1, 2 or 5 times a power of ten. */
export function scaleTop(most: number): number {
  if (most <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(most))
  const factor = [1, 2, 5, 10].find((step) => step * power >= most)!
  return factor * power
}

/** Returns the values at which an axis has a line: its ends and, where it is a whole number, its middle. */
export function ticksOf(top: number): readonly number[] {
  return top % 2 === 0 ? [0, top / 2, top] : [0, top]
}

/** Returns of how many labels one is shown, so that labels of `labelPx` do not overlap. */
export function labelStep(count: number, widthPx: number, labelPx: number): number {
  return Math.max(1, Math.ceil((count * labelPx) / Math.max(widthPx, 1)))
}

/** Returns the width of a bar and the distance from one bar to the next. */
export function barSizes(count: number, widthPx: number): { bar: number; distance: number } {
  const distance = widthPx / Math.max(count, 1)
  return { bar: Math.min(Math.max(1, distance * BAR_SHARE), WIDEST_BAR), distance }
}

const WIDEST_BAR = 40
const BAR_SHARE = 0.75

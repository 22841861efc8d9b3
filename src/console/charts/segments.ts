/** Narrowest part of a bar that can be seen and pointed at. */
const MIN_WIDTH_PX = 4

/** Divides a bar of `width` by the values. A part that is not 0 is always seen; the widest part gives it the room. */
export function segmentsOf(values: readonly number[], width: number): { x: number; width: number }[] {
  const total = values.reduce((sum, value) => sum + value, 0)
  const widths = values.map((value) => (value === 0 ? 0 : Math.max(MIN_WIDTH_PX, (value / total) * width)))
  const widest = widths.indexOf(Math.max(...widths))
  const surplus = widths.reduce((sum, each) => sum + each, 0) - width
  if (total > 0) widths[widest]! -= surplus
  return widths.map((each, index) => ({ x: widths.slice(0, index).reduce((sum, one) => sum + one, 0), width: each }))
}

/** Writes a time in as little room as the labels of a chart have: `250 ms`, `1.5 s`, `2.5 min`, `1.2 h`. */
export function shortDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  const [size, unit] = ms < 60_000 ? [1_000, 's'] : ms < 3_600_000 ? [60_000, 'min'] : [3_600_000, 'h']
  return `${Number((ms / size).toFixed(1))} ${unit}`
}

/** Returns the name most similar to `word`, or undefined if none is similar enough. */
export function suggest(word: string, names: readonly string[]): string | undefined {
  const ranked = names.map((name) => ({ name, distance: distance(word, name) })).sort((a, b) => a.distance - b.distance)
  const [best] = ranked
  return best && best.distance <= Math.max(1, Math.floor(best.name.length * 0.4)) ? best.name : undefined
}

/** Counts the letters to change, add, remove or swap with the next one to turn `a` into `b`. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const cost = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + (same ? 0 : 1))
      row.push(swapped ? Math.min(cost, rows[i - 2]![j - 2]! + 1) : cost)
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}

/** Returns the name most similar to `word`, else the only one that it is a part of, or undefined. */
export function suggest(word: string, names: readonly string[]): string | undefined {
  return nearest(word, names) ?? solePart(word, names)
}

/** Returns the name most similar to `word`, in any case, or undefined if none is similar enough. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  let best: { name: string; distance: number } | undefined
  for (const name of names) {
    const limit = Math.max(1, Math.floor(name.length * 0.4))
    // Names of another length cannot be near. Leaving them out bounds the work for a very long word.
    if (Math.abs(name.length - word.length) > limit) continue
    const found = countEdits(word.toLowerCase(), name.toLowerCase())
    if (found <= limit && found < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { name, distance: found }
  }
  return best?.name
}

/** Fewer letters are part of too many names. */
const MIN_PART_LETTERS = 3

/** Returns the only name that consists of the word and other parts, as `db_wiki` for `wiki`, or the other way round. */
function solePart(word: string, names: readonly string[]): string | undefined {
  const found = names.filter((name) => isPart(word, name) || isPart(name, word))
  return found.length === 1 ? found[0] : undefined
}

function isPart(part: string, whole: string): boolean {
  return part.length >= MIN_PART_LETTERS && asParts(whole).includes(asParts(part))
}

function asParts(name: string): string {
  return `_${name.toLowerCase().replaceAll(/[-.:/ ]/g, '_')}_`
}

/** Counts the letters to change, add, remove or swap with the next one to turn `a` into `b`. */
export function countEdits(a: string, b: string): number {
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

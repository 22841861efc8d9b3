/** Part of a text, by the indexes of its first character and of the one behind its last. */
export type Range = readonly [start: number, end: number]

/** Sorts ranges and joins those that overlap or touch. */
export function mergeRanges(ranges: readonly Range[]): Range[] {
  const merged: [number, number][] = []
  for (const [start, end] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1)
    if (last && start <= last[1]) last[1] = Math.max(last[1], end)
    else merged.push([start, end])
  }
  return merged
}

const MASK = '[redacted]'

/** Replaces merged ranges. Line breaks inside them stay, so that line numbers do not change. */
export function maskRanges(text: string, ranges: readonly Range[]): string {
  const parts: string[] = []
  let at = 0
  for (const [start, end] of ranges) {
    parts.push(text.slice(at, start), maskLines(text.slice(start, end)))
    at = end
  }
  return parts.join('') + text.slice(at)
}

function maskLines(secret: string): string {
  return secret
    .split('\n')
    .map((line) => (line.trim() === '' ? line : MASK))
    .join('\n')
}

/** Cuts merged ranges to those of the part of the text that begins at `offset`, counted from there. */
export function rangesWithin(ranges: readonly Range[], offset: number, length: number): Range[] {
  return ranges.flatMap(([start, end]): Range[] => {
    const from = Math.max(start - offset, 0)
    const to = Math.min(end - offset, length)
    return from < to ? [[from, to]] : []
  })
}

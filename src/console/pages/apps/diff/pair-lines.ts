import type { Line } from './parse-patch.ts'

type Pair = { readonly left: Line | null; readonly right: Line | null }

/** Puts the lines side by side: each removed line stands beside the added one that took its place. */
export function pairLines(lines: readonly Line[]): Pair[] {
  const pairs: Pair[] = []
  let removed: Line[] = []
  let added: Line[] = []
  const flush = () => {
    for (let i = 0; i < Math.max(removed.length, added.length); i++)
      pairs.push({ left: removed[i] ?? null, right: added[i] ?? null })
    removed = []
    added = []
  }
  for (const line of lines) {
    if (line.kind === 'added') added.push(line)
    else if (line.kind === 'removed') {
      if (added.length > 0) flush()
      removed.push(line)
    } else {
      flush()
      pairs.push({ left: line, right: line })
    }
  }
  flush()
  return pairs
}

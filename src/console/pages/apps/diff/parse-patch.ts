export type Line = {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
  /** The file ends with this line, without a line end. */
  readonly isUnended?: true
  /** Number of the line in the former file; null if it was added. */
  readonly before: number | null
  /** Number of the line in the new file; null if it was removed. */
  readonly after: number | null
}

export type Hunk = { readonly head: string; readonly lines: readonly Line[] }

const HEAD = /^@@ -(\d{1,9})(?:,\d{1,9})? \+(\d{1,9})(?:,\d{1,9})? @@/

const KINDS: Record<string, Line['kind']> = { ' ': 'same', '-': 'removed', '+': 'added' }

/** Reads the hunks of a unified diff of one file. Lines outside of hunks, such as the names of the files, are left out. */
export function parsePatch(patch: string): Hunk[] {
  const hunks: { head: string; lines: Line[] }[] = []
  let before = 0
  let after = 0
  for (const line of patch.split('\n')) {
    const head = HEAD.exec(line)
    if (head) {
      before = Number(head[1])
      after = Number(head[2])
      hunks.push({ head: head[0], lines: [] })
      continue
    }
    const kind = KINDS[line.charAt(0)]
    const hunk = hunks.at(-1)
    const last = hunk?.lines.at(-1)
    if (line.startsWith('\\') && last) hunk!.lines[hunk!.lines.length - 1] = { ...last, isUnended: true }
    if (!kind || !hunk) continue
    hunk.lines.push({
      kind,
      text: line.slice(1),
      before: kind === 'added' ? null : before++,
      after: kind === 'removed' ? null : after++,
    })
  }
  return hunks
}

export function countLines(hunks: readonly Hunk[], kind: Line['kind']): number {
  return hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.kind === kind).length, 0)
}

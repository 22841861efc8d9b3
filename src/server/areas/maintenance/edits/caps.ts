import type { Edit } from './apply-edits.ts'

/** Limits of the changes of one run. A person must be able to judge all of them at once. */
export const EDIT_CAPS = { files: 5, changedLines: 200, bytes: 32 * 1024 } as const

/** Returns why edits are too many or too large together, or undefined if they are not. */
export function findCapFault(edits: readonly Edit[]): string | undefined {
  const files = new Set(edits.map(({ path }) => path)).size
  if (files > EDIT_CAPS.files) return `A change has at most ${EDIT_CAPS.files} files.`
  const lines = edits.reduce((sum, edit) => sum + changedLines(edit), 0)
  if (lines > EDIT_CAPS.changedLines) {
    return `A change has at most ${EDIT_CAPS.changedLines} changed lines, and this would be ${lines}.`
  }
  const bytes = edits.reduce((sum, { old_text, new_text }) => sum + Buffer.byteLength(old_text + new_text), 0)
  return bytes > EDIT_CAPS.bytes ? `A change has at most ${EDIT_CAPS.bytes} bytes of old and new text.` : undefined
}

/** Lines that are removed and added. Equal lines at the beginning and at the end do not count. */
function changedLines({ old_text, new_text }: Edit): number {
  const before = old_text.split('\n')
  const after = new_text.split('\n')
  const shorter = Math.min(before.length, after.length)
  let head = 0
  while (head < shorter && before[head] === after[head]) head++
  let tail = 0
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  return before.length + after.length - 2 * (head + tail)
}

import type { FileChange } from '#contract/apps/revisions.ts'

type Diff = { readonly files: readonly FileChange[]; readonly truncated: boolean }
/** The text of a file on both sides. Undefined: there is no such file, or it is no text. */
type Sides = { readonly before: string | undefined; readonly after: string | undefined }

/**
 * Returns undefined if a diff shows every changed byte, and otherwise a sentence that names the first file of which it
 * does not. The patch is applied, so that what it shows is proven and not assumed.
 */
export function diffShowsEverything(diff: Diff, sidesOf: (path: string) => Sides): string | undefined {
  for (const file of diff.files) {
    const why = findFault(file, sidesOf(file.path))
    if (why !== undefined) return `The diff does not show every change of ${file.path}: ${why}.`
  }
  if (diff.truncated) return 'The diff does not show every change: it is too large.'
  return diff.files.length === 0 ? 'The diff shows no change.' : undefined
}

const REASONS: Record<NonNullable<FileChange['not_shown']>, string> = {
  binary: 'the file is binary or not UTF-8',
  too_large: 'the file is larger than 256 KiB',
  too_different: 'more than 1,000 lines differ',
  left_out: 'the whole diff is too large',
}

function findFault({ change, mode, patch, not_shown }: FileChange, { before, after }: Sides): string | undefined {
  if (not_shown !== null) return REASONS[not_shown]
  if (patch === null) return mode !== null && before === after ? undefined : 'it has no patch'
  const isWhole = (before === undefined) === (change === 'added') && (after === undefined) === (change === 'removed')
  return isWhole && applyPatch(before ?? '', patch) === (after ?? '') ? undefined : 'its patch leaves something out'
}

const HEAD = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@$/

/** Returns the text that a unified diff makes of a text, or undefined if the diff is not one of this text. */
function applyPatch(text: string, patch: string): string | undefined {
  const lines = text.split(/(?<=\n)/).filter((line) => line !== '')
  const shown = patch.split('\n')
  let result = ''
  let at = 0
  for (const [index, row] of shown.entries()) {
    const head = HEAD.exec(row)
    if (head) {
      const [, start, count] = head
      const first = count === '0' ? Number(start) : Number(start) - 1
      result += lines.slice(at, first).join('')
      at = first
    } else if (/^[ +-]/.test(row) && index >= HEADER_ROWS) {
      const line = `${row.slice(1)}${shown[index + 1]?.startsWith('\\') ? '' : '\n'}`
      if (row[0] !== '+' && lines[at++] !== line) return undefined
      if (row[0] !== '-') result += line
    }
  }
  return result + lines.slice(at).join('')
}

/**
 * Returns the lines that a patch adds, without their line feeds. The carriage return of a Windows line end is left out if
 * the file has such line ends already; elsewhere it is a part of the line.
 */
export function addedLines(patch: string, hasWindowsEnds: boolean): string[] {
  const rows = patch.split('\n').slice(HEADER_ROWS)
  return rows.flatMap((row, index) => {
    if (!row.startsWith('+')) return []
    const isEnded = !rows[index + 1]?.startsWith('\\')
    return [hasWindowsEnds && isEnded ? row.slice(1).replace(/\r$/, '') : row.slice(1)]
  })
}

/** The names of the two files. */
const HEADER_ROWS = 2

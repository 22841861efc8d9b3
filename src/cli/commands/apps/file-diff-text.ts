import type { FileChange } from '#contract/apps/revisions.ts'
import { showInvisible } from '#contract/core/show-invisible.ts'
import { visiblePatch } from '../../terminal/printable.ts'

const MODES: Record<NonNullable<FileChange['mode']>, string> = {
  executable: 'made executable',
  not_executable: 'made not executable',
}

const REASONS: Record<NonNullable<FileChange['not_shown']>, string> = {
  binary: 'it is not UTF-8 text',
  too_large: 'it is larger than 256 KiB',
  too_different: 'more than 1,000 lines differ',
  left_out: 'the whole diff is too large',
}

/** Shows the change of one file: its patch, and what the patch does not say. */
export function fileDiffText({ path, change, mode, patch, not_shown }: FileChange): string {
  const facts = [change, ...(mode === null ? [] : [MODES[mode]])].join(', ')
  const head = `${showInvisible(path)}: ${facts}`
  if (not_shown !== null) return `${head}. The change is not shown: ${REASONS[not_shown]}.`
  if (patch === null) return head
  // The patch ends with a line feed, which the printer adds.
  const lines = visiblePatch(patch.replace(/\n$/, ''))
  return mode === null ? lines : `${head}\n${lines}`
}

import type { FileChange } from '#contract/apps/revisions.ts'

export const MODES: Record<NonNullable<FileChange['mode']>, string> = {
  executable: 'made executable',
  not_executable: 'made not executable',
}

const REASONS: Record<NonNullable<FileChange['not_shown']>, string> = {
  binary: 'it is not UTF-8 text',
  too_large: 'it is larger than 256 KiB',
  too_different: 'more than 1,000 of its lines differ',
  left_out: 'the whole change is too large',
}

/** Says why a file has no lines in a diff. */
export function explainUnshown(reason: FileChange['not_shown']): string {
  return reason === null
    ? 'The content has no changed lines.'
    : `The change of this file is not shown: ${REASONS[reason]}.`
}

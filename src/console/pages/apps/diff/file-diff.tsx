import { useMemo } from 'react'
import { VisibleText } from '#console/parts/text/visible-text.tsx'
import type { FileChange } from '#contract/apps/revisions.ts'
import { countLines, parsePatch } from './parse-patch.ts'
import { SplitHunk } from './split-hunk.tsx'
import { UnifiedHunk } from './unified-hunk.tsx'
import type { Highlight } from './use-highlighter.ts'

const CHANGES: Record<FileChange['change'], string> = { added: 'added', removed: 'removed', modified: 'changed' }

export type DiffView = 'unified' | 'split'

type Props = { file: FileChange; view: DiffView; highlight: Highlight | undefined }

/** The change of one file. It can be folded. */
export function FileDiff({ file: { path, change, mode, patch, not_shown }, view, highlight }: Props) {
  const hunks = useMemo(() => (patch === null ? [] : parsePatch(patch)), [patch])
  const pieces = useMemo(() => hunks.map((hunk) => highlight?.(hunk, path)), [hunks, highlight, path])
  const Hunk = view === 'split' ? SplitHunk : UnifiedHunk
  return (
    <details className="file" open>
      <summary>
        <code>
          <VisibleText line={path} />
        </code>{' '}
        <span className="soft">
          {CHANGES[change]}
          {mode && `, ${MODES[mode]}`}
        </span>{' '}
        <span className="counts">
          <span className="plus">+{countLines(hunks, 'added')}</span>{' '}
          <span className="minus">−{countLines(hunks, 'removed')}</span>
        </span>
      </summary>
      {hunks.length === 0 ? (
        <p className={not_shown ? 'banner' : 'soft'}>{explainUnshown(not_shown)}</p>
      ) : (
        <table className={`hunks ${view}`}>
          <caption className="visually-hidden">{`Change of ${path}`}</caption>
          {hunks.map((hunk, index) => (
            <tbody key={hunk.head}>
              <tr className="hunk-head">
                <td colSpan={4}>{hunk.head}</td>
              </tr>
              <Hunk hunk={hunk} pieces={pieces[index]} />
            </tbody>
          ))}
        </table>
      )}
    </details>
  )
}

const MODES: Record<NonNullable<FileChange['mode']>, string> = {
  executable: 'made executable',
  not_executable: 'made not executable',
}

const REASONS: Record<NonNullable<FileChange['not_shown']>, string> = {
  binary: 'it is not UTF-8 text',
  too_large: 'it is larger than 256 KiB',
  too_different: 'more than 1,000 of its lines differ',
  left_out: 'the whole change is too large',
}

/** Explains why a file has no lines in a diff. */
function explainUnshown(reason: FileChange['not_shown']): string {
  return reason === null
    ? 'The content has no changed lines.'
    : `The change of this file is not shown: ${REASONS[reason]}.`
}

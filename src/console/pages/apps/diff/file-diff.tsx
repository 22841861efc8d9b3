import { useMemo } from 'react'
import { VisibleText } from '#console/parts/visible-text.tsx'
import type { FileChange } from '#contract/apps/revisions.ts'
import { countLines, parsePatch } from './parse-patch.ts'
import { SplitHunk } from './split-hunk.tsx'
import { UnifiedHunk } from './unified-hunk.tsx'
import { explainUnshown, MODES } from './unshown-words.ts'
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
            <Hunk key={hunk.head} hunk={hunk} pieces={pieces[index]} />
          ))}
        </table>
      )}
    </details>
  )
}

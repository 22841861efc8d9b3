import { useState } from 'react'
import type { FileChange } from '#contract/apps/revisions.ts'
import { type DiffView, FileDiff } from './file-diff.tsx'
import { useHighlighter } from './use-highlighter.ts'
import '#console/styles/diff.css'

/** Files that differ between two revisions, one above the other or side by side. */
export function Diff({ files }: { files: readonly FileChange[] }) {
  const [view, setView] = useState<DiffView>(() => (matchMedia('(min-width: 1440px)').matches ? 'split' : 'unified'))
  const highlight = useHighlighter()
  if (files.length === 0) return <p className="soft">No file differs.</p>
  return (
    <section className="diff" aria-label="Changed files">
      <fieldset className="row">
        <legend className="visually-hidden">Layout of the change</legend>
        {(['unified', 'split'] as const).map((option) => (
          <button
            key={option}
            type="button"
            className="button small"
            aria-pressed={view === option}
            onClick={() => setView(option)}
          >
            {option === 'unified' ? 'Unified' : 'Side by side'}
          </button>
        ))}
      </fieldset>
      {files.map((file) => (
        <FileDiff key={file.path} file={file} view={view} highlight={highlight} />
      ))}
    </section>
  )
}

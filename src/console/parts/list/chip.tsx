import type { ReactNode } from 'react'

type Tone = 'success' | 'attention' | 'failure' | 'running' | 'unknown' | 'plain'

/** A state in a word, with a shape and a colour. `unknown` is hatched: neither good nor bad. */
export function Chip({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className={`chip ${tone}`}>
      <span className="mark" aria-hidden="true">
        {MARKS[tone]}
      </span>
      {children}
    </span>
  )
}

/** The name and the looks of a state. */
export type Status = { readonly word: string; readonly tone: Tone }

export function StatusChip({ of: { word, tone } }: { of: Status }) {
  return <Chip tone={tone}>{word}</Chip>
}

const MARKS: Record<Tone, string> = {
  success: '✓',
  attention: '!',
  failure: '✕',
  running: '…',
  unknown: '?',
  plain: '·',
}

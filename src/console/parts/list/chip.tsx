import type { LucideIcon } from 'lucide-react'
import Check from 'lucide-react/icons/check'
import CircleAlert from 'lucide-react/icons/circle-alert'
import CircleQuestionMark from 'lucide-react/icons/circle-question-mark'
import Ellipsis from 'lucide-react/icons/ellipsis'
import X from 'lucide-react/icons/x'
import type { ReactNode } from 'react'

type Tone = 'success' | 'attention' | 'failure' | 'running' | 'unknown' | 'plain'

/** A state in a word, with a shape and a colour. `unknown` is hatched: neither good nor bad. `plain` has no shape. */
export function Chip({ tone, children }: { tone: Tone; children: ReactNode }) {
  const Mark = tone !== 'plain' && MARKS[tone]
  return (
    <span className={`chip ${tone}`}>
      {Mark && <Mark className="mark" />}
      {children}
    </span>
  )
}

/** The name and the looks of a state. */
export type Status = { readonly word: string; readonly tone: Tone }

export function StatusChip({ of: { word, tone } }: { of: Status }) {
  return <Chip tone={tone}>{word}</Chip>
}

const MARKS: Record<Exclude<Tone, 'plain'>, LucideIcon> = {
  success: Check,
  attention: CircleAlert,
  failure: X,
  running: Ellipsis,
  unknown: CircleQuestionMark,
}

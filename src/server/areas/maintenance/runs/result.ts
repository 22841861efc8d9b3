import type { TerminalCode } from '#contract/maintenance/outcomes.ts'
import type { LastLook } from '../claims/last-look.ts'
import type { Detected, JudgedFinding } from '../detect/detectors.ts'

/** The result of a run. A null `digest` means that later runs cannot be compared with it. */
export type RunResult =
  /** The detectors alone looked. */
  | { readonly type: 'detected'; readonly detected: readonly Detected[]; readonly digest: string }
  /** A model found nothing. What the detectors found stands nevertheless. */
  | { readonly type: 'nothing'; readonly detected: readonly Detected[]; readonly digest: string }
  | {
      readonly type: 'finding' | 'change'
      readonly finding: JudgedFinding
      readonly detected: readonly Detected[]
      readonly digest: string
    }
  /** Nothing changed since the last complete look, so its result stands and no model was asked. */
  | {
      readonly type: 'unchanged'
      readonly last: LastLook
      readonly detected: readonly Detected[]
      readonly digest: string
    }
  /** The run came to no result. What the detectors found before that stands nevertheless. */
  | {
      readonly type: 'failed'
      readonly code: TerminalCode
      readonly reason: string | null
      readonly detected: readonly Detected[]
    }

import type { TerminalCode } from '#contract/maintenance/outcomes.ts'
import type { LastLook } from '../claims/last-look.ts'
import type { Detected, JudgedFinding } from '../detect/detectors.ts'

type Evidence = { readonly detected: readonly Detected[]; readonly digest: string }
type Failure = { readonly code: TerminalCode; readonly reason: string | null }

export type RunResult =
  /** The detectors alone looked. */
  | ({ readonly type: 'detected' } & Evidence)
  /** A model found nothing. What the detectors found stands nevertheless. */
  | ({ readonly type: 'nothing' } & Evidence)
  | ({ readonly type: 'finding'; readonly finding: JudgedFinding } & Evidence)
  /** `test` is the path of the test that the change brings, or null. */
  | ({ readonly type: 'change'; readonly finding: JudgedFinding; readonly test: string | null } & Evidence)
  /** Nothing changed since the last complete look, so its result stands and no model was asked. */
  | ({ readonly type: 'unchanged'; readonly last: LastLook } & Evidence)
  /** The run came to no result. What the detectors found before that stands nevertheless. */
  | ({ readonly type: 'failed' } & Failure & Pick<Evidence, 'detected'>)

import type { Status } from '#console/parts/list/chip.tsx'
import type { ProofOutcome } from '#contract/maintenance/proof.ts'

/** `none`: the change brings no test. */
export const PROOF_STATES: Record<ProofOutcome | 'none', Status> = {
  proven: { word: 'Proven by a test', tone: 'success' },
  passes_before: { word: 'Not proven: the test passes before', tone: 'attention' },
  flaky: { word: 'Not proven: the test is flaky', tone: 'attention' },
  fails_after: { word: 'Not proven: the test fails after', tone: 'failure' },
  not_run: { word: 'Not proven: the test was not judged', tone: 'unknown' },
  none: { word: 'Not proven: no test', tone: 'plain' },
}

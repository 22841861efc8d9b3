import { PROOF_RUNS, type ProofOutcome } from '#contract/maintenance/proof.ts'
import type { TestRun } from '#ports/app-trials.ts'
import { findLoadFault } from './load-fault.ts'

export type ProofVerdict =
  | { readonly outcome: Exclude<ProofOutcome, 'not_run'> }
  /** `reason` is a clause for a sentence. */
  | { readonly outcome: 'not_run'; readonly reason: string }

type Runs = readonly TestRun[]

/**
 * Decides what the runs of a test say. `before` are those on the live revision, undefined while they have not been done:
 * the answer is then undefined if it depends on them. `proven` also needs that the live revision's tests pass without
 * the test, which its caller checks, because otherwise the test is not what fails.
 */
export function judgeProof(before: Runs | undefined, after: Runs): ProofVerdict | undefined {
  const passing = resultOf(after)
  if (passing === 'mixed') return { outcome: 'flaky' }
  if (passing === 'failed') return { outcome: 'fails_after' }
  if (passing !== 'passed') return notRun(`with the change, ${passing.reason}`)
  if (before === undefined) return undefined
  const failing = resultOf(before)
  if (failing === 'mixed') return { outcome: 'flaky' }
  if (failing === 'passed') return { outcome: 'passes_before' }
  if (failing !== 'failed') return notRun(`on the live revision, ${failing.reason}`)
  const loadFault = before.map(({ output }) => findLoadFault(output)).find((fault) => fault !== undefined)
  return loadFault === undefined
    ? { outcome: 'proven' }
    : notRun(`on the live revision it fails because it uses a file or a name that is missing there (${loadFault})`)
}

export function notRun(reason: string): ProofVerdict {
  return { outcome: 'not_run', reason }
}

/** `mixed` comes before everything else, because a run that says nothing does not make two others agree. */
function resultOf(runs: Runs): 'passed' | 'failed' | 'mixed' | { readonly reason: string } {
  const results = new Set(runs.map(({ result }) => result))
  if (results.has('passed') && results.has('failed')) return 'mixed'
  const ended = runs.find(({ result }) => result === 'ended')
  if (ended) return { reason: `the tests gave no result: ${ended.reason}` }
  if (runs.length < PROOF_RUNS) return { reason: `the tests could not be run ${PROOF_RUNS} times` }
  return results.has('passed') ? 'passed' : 'failed'
}

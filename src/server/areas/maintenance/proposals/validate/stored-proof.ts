import { PROOF_RUNS, type Proof, type ProofOutcome, type ProofSide } from '#contract/maintenance/proof.ts'
import type { Redactor } from '#lib/redact/redact.ts'
import type { TestRun } from '#ports/app-trials.ts'
import { cleanOutput } from './clean-trial.ts'
import type { Proving } from './prove-change.ts'

type Side = { readonly runs: ProofSide['runs']; readonly output: string }

/** The proof of a proposal as it is stored. Outputs are free of secrets and short. */
export type StoredProof = {
  readonly outcome: ProofOutcome
  /** A clause that says why the test was not judged. */
  readonly reason: string | null
  readonly test: string
  readonly before: Side
  readonly after: Side
}

/** `revision_id` is the revision that the proof is about, null if the change makes none. */
export type ProofColumn = StoredProof & { readonly revision_id: string | null }

/** Limits the output of each side, which is shown beside the diff. */
const MAX_OUTPUT = 4_000

export async function toStoredProof(
  redactor: Redactor,
  test: string,
  { verdict, before, after }: Proving,
): Promise<StoredProof> {
  return {
    outcome: verdict.outcome,
    reason: 'reason' in verdict ? verdict.reason : null,
    test,
    before: await toSide(redactor, before),
    after: await toSide(redactor, after),
  }
}

async function toSide(redactor: Redactor, runs: readonly TestRun[]): Promise<Side> {
  const shown = runs.findLast(({ result }) => result === 'failed') ?? runs.at(-1)
  const output = shown ? await cleanOutput(redactor, shown.output, MAX_OUTPUT) : ''
  return { runs: runs.map(({ result }) => result), output }
}

const NO_RUNS: Side = { runs: [], output: '' }

/** Returns the proof of a test that was not judged. The reason is a clause of a sentence. */
export function unproven(test: string, reason: string): StoredProof {
  return { outcome: 'not_run', reason, test, before: NO_RUNS, after: NO_RUNS }
}

export function presentProof({ outcome, reason, test, before, after }: StoredProof): Proof {
  return { outcome, text: describe(outcome, test, reason), test, before: toShown(before), after: toShown(after) }
}

function toShown({ runs, output }: Side): ProofSide {
  return { runs: [...runs], output }
}

/** Leaves out the outputs, which would make a list large. */
export function listProof(proof: Proof): Proof {
  return { ...proof, before: { ...proof.before, output: null }, after: { ...proof.after, output: null } }
}

function describe(outcome: ProofOutcome, test: string, reason: string | null): string {
  switch (outcome) {
    case 'proven':
      return `Proven: with ${test} the tests fail on the live revision and pass with the change, ${PROOF_RUNS} times each.`
    case 'passes_before':
      return `Not proven: with ${test} the tests pass on the live revision too, so they do not show the fault.`
    case 'flaky':
      return `Not proven: with ${test} the tests are flaky. They do not give the same result each time.`
    case 'fails_after':
      return `Not proven: with ${test} the tests fail on the changed revision.`
    case 'not_run':
      return `Not proven: ${test} was not judged, because ${reason}.`
    default:
      return outcome satisfies never
  }
}

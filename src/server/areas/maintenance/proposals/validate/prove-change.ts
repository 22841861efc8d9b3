import { PROOF_RUNS } from '#contract/maintenance/proof.ts'
import type { AppTrial, TestRun } from '#ports/app-trials.ts'
import { isTestPath } from '../../edits/test-paths.ts'
import { judgeProof, notRun, type ProofVerdict } from './judge-proof.ts'

type Texts = ReadonlyMap<string, string>

/** Tries the live revision with these files changed or added. */
export type RunTrial = (texts: Texts, testRuns: number) => Promise<AppTrial>

/** The runs of a test and their verdict. */
export type Proving = {
  readonly verdict: ProofVerdict
  readonly before: readonly TestRun[]
  readonly after: readonly TestRun[]
}

type TriedChange = {
  /** The files of the change. */
  readonly texts: Texts
  /** The trial of the whole change. */
  readonly change: AppTrial
  /** Runs the tests of the live revision once. */
  readonly tryBase: () => Promise<AppTrial>
}

/**
 * Proves a change by its test: the live revision with only the test files of the change must fail where the change
 * passes, and the live revision without them must pass, so that nothing but the test fails.
 */
export async function proveChange(run: RunTrial, { texts, change, tryBase }: TriedChange): Promise<Proving> {
  const after = change.testRuns ?? []
  if (after.length === 0) return { verdict: notRun(whyNotRun(change)), before: [], after }
  const early = judgeProof(undefined, after)
  if (early) return { verdict: early, before: [], after }
  const red = await run(testFilesOf(texts), PROOF_RUNS)
  const before = red.testRuns ?? []
  if (before.length === 0) return { verdict: notRun(`on the live revision, ${whyNotRun(red)}`), before, after }
  const verdict = judgeProof(before, after)!
  if (verdict.outcome !== 'proven') return { verdict, before, after }
  const isSound = (await tryBase()).test?.type === 'passed'
  return { verdict: isSound ? verdict : notRun(BASE_FAILS), before, after }
}

const BASE_FAILS = 'the tests of the live revision do not pass without it either, so it is not known what fails'

function testFilesOf(texts: Texts): Texts {
  return new Map([...texts].filter(([path]) => isTestPath(path)))
}

function whyNotRun({ build, test }: AppTrial): string {
  if (build.type === 'failed') return `the app does not build (${build.reason})`
  const step = build.type === 'not_run' ? build : test
  if (step?.type === 'not_run') return step.reason
  return step?.type === 'absent' ? 'package.json has no script "test"' : 'the tests did not run'
}

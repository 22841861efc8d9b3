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
  /** Path of the test that the change names. */
  readonly test: string
  /** The files of the change. */
  readonly texts: Texts
  /** The trial of the whole change. */
  readonly change: AppTrial
  /** Runs the tests of the live revision once. */
  readonly tryBase: () => Promise<AppTrial>
}

/**
 * Proves a change by its test: the live revision with only the test files of the change must fail where the change
 * passes, and the live revision with all of these but the test must pass, so that nothing but the test fails.
 */
export async function proveChange(run: RunTrial, { test, texts, change, tryBase }: TriedChange): Promise<Proving> {
  const after = change.testRuns ?? []
  if (after.length === 0) return { verdict: notRun(whyNotRun(change)), before: [], after }
  const early = judgeProof(undefined, after)
  if (early) return { verdict: early, before: [], after }
  const testFiles = testFilesOf(texts)
  if (!testFiles.has(test)) return { verdict: notRun(NO_TEST_FILE), before: [], after }
  const red = await run(testFiles, PROOF_RUNS)
  const before = red.testRuns ?? []
  if (before.length === 0) return { verdict: notRun(`on the live revision, ${whyNotRun(red)}`), before, after }
  const verdict = judgeProof(before, after)!
  if (verdict.outcome !== 'proven') return { verdict, before, after }
  testFiles.delete(test)
  const { test: others } = await (testFiles.size === 0 ? tryBase() : run(testFiles, 1))
  if (others?.type === 'passed') return { verdict, before, after }
  const reason = others?.type === 'not_run' ? `without it, ${others.reason}` : OTHERS_FAIL
  return { verdict: notRun(reason), before, after }
}

const NO_TEST_FILE = 'its path is not that of a test file'
const OTHERS_FAIL = 'the tests of the live revision do not pass without it either, so it is not known what fails'

function testFilesOf(texts: Texts): Map<string, string> {
  return new Map([...texts].filter(([path]) => isTestPath(path)))
}

function whyNotRun({ build, test }: AppTrial): string {
  if (build.type === 'failed') return `the app does not build (${build.reason})`
  const step = build.type === 'not_run' ? build : test
  if (step?.type === 'not_run') return step.reason
  return step?.type === 'absent' ? 'package.json has no script "test"' : 'the tests did not run'
}

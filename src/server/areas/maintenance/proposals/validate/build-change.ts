import { PROOF_RUNS } from '#contract/maintenance/proof.ts'
import type { AppRevision } from '#ports/app-changes.ts'
import type { AppTrial, TryAppRevision } from '#ports/app-trials.ts'
import type { RedactorOf } from '#ports/apps.ts'
import { cleanTrial } from './clean-trial.ts'
import { type BuildVerdict, judgeBuild } from './judge-build.ts'
import { proveChange, type RunTrial } from './prove-change.ts'
import { type StoredProof, toStoredProof, unproven } from './stored-proof.ts'
import { createTrialTime } from './trial-time.ts'

/** Where changes can be built. `off` is a clause that says why they are not. */
export type ChangeTrials =
  | { readonly off: string }
  | { readonly withTests: boolean; readonly tryRevision: TryAppRevision }

type Changed = AppRevision & {
  readonly texts: ReadonlyMap<string, string>
  /** Path of the test that the change brings, or null. */
  readonly test: string | null
  readonly signal: AbortSignal
}

type BuiltChange = Exclude<BuildVerdict, { type: 'needs_base' }> & {
  /** Null for a change without a test. */
  readonly proof: StoredProof | null
}

/**
 * Builds a changed revision if that is allowed, and proves it if it brings a test. The base is built only if the change
 * fails or is proven, and once. Rejects with the reason of the signal when that aborts.
 */
export async function buildChange(
  { trials, redactorOf }: { readonly trials: ChangeTrials; readonly redactorOf: RedactorOf },
  { test, ...changed }: Changed,
): Promise<BuiltChange> {
  if ('off' in trials) {
    const notes = [`The app was not built: ${trials.off}.`]
    return { type: 'valid', passed: null, notes, proof: test === null ? null : unproven(test, trials.off) }
  }
  const { withTests, tryRevision } = trials
  const redactor = await redactorOf(changed.appId)
  const time = createTrialTime()
  const run: RunTrial = async (texts, testRuns) =>
    cleanTrial(redactor, await tryRevision({ ...changed, texts, testRuns: withTests ? testRuns : 0, time }))
  let base: Promise<AppTrial> | undefined
  const tryBase = () => (base ??= run(new Map(), 1))
  const change = await run(changed.texts, test === null ? 1 : PROOF_RUNS)
  const verdict = await judgeWithBase(change, tryBase)
  if (test === null) return { ...verdict, proof: null }
  if (!withTests) return { ...verdict, proof: unproven(test, ONLY_BUILDS) }
  const proving = await proveChange(run, { test, texts: changed.texts, change, tryBase })
  return { ...verdict, proof: await toStoredProof(redactor, test, proving) }
}

const ONLY_BUILDS = 'this installation only builds (SVC_MAINTENANCE_BUILD)'

async function judgeWithBase(change: AppTrial, tryBase: () => Promise<AppTrial>) {
  const verdict = judgeBuild(undefined, change)
  if (verdict.type !== 'needs_base') return verdict
  const last = judgeBuild(await tryBase(), change)
  if (last.type === 'needs_base') throw new Error('a build was judged without the base that was built')
  return last
}

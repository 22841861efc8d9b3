import type { Redactor } from '#lib/redact/redact.ts'
import type { AppRevision } from '#ports/app-changes.ts'
import type { AppTrial, TrialStep, TryAppRevision } from '#ports/app-trials.ts'
import type { RedactorOf } from '#ports/apps.ts'
import { type BuildVerdict, judgeBuild } from './judge-build.ts'

/** Where changes can be built. `off` is a clause that says why they are not. */
export type ChangeTrials =
  | { readonly off: string }
  | { readonly withTests: boolean; readonly tryRevision: TryAppRevision }

type Changed = AppRevision & { readonly texts: ReadonlyMap<string, string>; readonly signal: AbortSignal }

/**
 * Builds a changed revision if that is allowed. The base is built only if the change fails. Rejects with the reason of
 * the signal when that aborts.
 */
export async function buildChange(
  { trials, redactorOf }: { readonly trials: ChangeTrials; readonly redactorOf: RedactorOf },
  changed: Changed,
): Promise<Exclude<BuildVerdict, { type: 'needs_base' }>> {
  if ('off' in trials) return { type: 'valid', passed: null, notes: [`The app was not built: ${trials.off}.`] }
  const { withTests, tryRevision } = trials
  const redactor = await redactorOf(changed.appId)
  const run = async (texts: Changed['texts']) => clean(redactor, await tryRevision({ ...changed, texts, withTests }))
  const change = await run(changed.texts)
  const verdict = judgeBuild(undefined, change)
  if (verdict.type !== 'needs_base') return verdict
  const last = judgeBuild(await run(new Map()), change)
  if (last.type === 'needs_base') throw new Error('a build was judged without the base that was built')
  return last
}

async function clean(redactor: Redactor, { build, test }: AppTrial): Promise<AppTrial> {
  return { build: await cleanStep(redactor, build), ...(test && { test: await cleanStep(redactor, test) }) }
}

const MAX_OUTPUT = 1_000

/** The whole output is redacted before it is cut, because a part of a key cannot be recognised. */
async function cleanStep(redactor: Redactor, step: TrialStep): Promise<TrialStep> {
  if (step.type !== 'failed') return step
  const output = (await redactor.text(step.output)).replace(INVISIBLE, ' ').trim()
  return { ...step, output: output.length > MAX_OUTPUT ? `…${output.slice(-MAX_OUTPUT).toWellFormed()}` : output }
}

/** Colours of terminals, and all that a reader does not see except line ends. */
const INVISIBLE = /(?!\n)\p{Cc}\[[0-9;]{0,20}[A-Za-z]|[^\P{C}\n]/gu

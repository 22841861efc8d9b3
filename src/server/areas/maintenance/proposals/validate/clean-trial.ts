import type { Redactor } from '#lib/redact/redact.ts'
import type { AppTrial, TrialStep } from '#ports/app-trials.ts'

/** Limits the output of a step, which is a part of a sentence. */
const MAX_STEP_OUTPUT = 1_000

/** Cleans the outputs of the build and of the tests. Those of single runs of the tests stay as they are. */
export async function cleanTrial(redactor: Redactor, trial: AppTrial): Promise<AppTrial> {
  const { build, test } = trial
  return {
    ...trial,
    build: await cleanStep(redactor, build),
    ...(test && { test: await cleanStep(redactor, test) }),
  }
}

async function cleanStep(redactor: Redactor, step: TrialStep): Promise<TrialStep> {
  return step.type === 'failed' ? { ...step, output: await cleanOutput(redactor, step.output, MAX_STEP_OUTPUT) } : step
}

/**
 * Hides secrets and invisible characters in an output and keeps the end of it. The whole output is redacted before it is
 * cut, because a part of a key cannot be recognised.
 */
export async function cleanOutput(redactor: Redactor, output: string, maxCharacters: number): Promise<string> {
  const shown = (await redactor.text(output)).replace(INVISIBLE, ' ').trim()
  return shown.length > maxCharacters ? `…${shown.slice(-maxCharacters).toWellFormed()}` : shown
}

/** Colours of terminals, and all that a reader does not see except line ends. */
const INVISIBLE = /(?!\n)\p{Cc}\[[0-9;]{0,20}[A-Za-z]|[^\P{C}\n]/gu

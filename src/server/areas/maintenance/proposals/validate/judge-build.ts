import type { AppTrial, TrialStep } from '#ports/app-trials.ts'

export type BuildVerdict =
  /** The change failed. Whether it is to blame depends on the revision that it changes. */
  | { readonly type: 'needs_base' }
  | { readonly type: 'invalid'; readonly reason: string }
  | {
      readonly type: 'valid'
      /** The strongest check that passed. */
      readonly passed: 'built' | 'tested' | null
      /** Sentences about what was not judged. */
      readonly notes: readonly string[]
    }

/**
 * Decides what a trial says about a change. A change is not valid only if its build, or its tests, fail and those of the
 * base pass: whatever else keeps a build from passing is no fault of the change.
 */
export function judgeBuild(base: AppTrial | undefined, change: AppTrial): BuildVerdict {
  const build = judgeStep(BUILD, base?.build, change.build)
  if (build.type === 'needs_base' || build.type === 'invalid') return build
  const test = change.test ? judgeStep(TEST, base?.test, change.test) : NO_TEST
  if (test.type === 'needs_base' || test.type === 'invalid') return test
  const passed = test.type === 'passed' ? 'tested' : build.type === 'passed' ? 'built' : null
  const notes = [build, test].flatMap((step) => (step.type === 'noted' ? [step.note] : []))
  return { type: 'valid', passed, notes }
}

type Words = Readonly<Record<'notRun' | 'notDeclared' | 'broken' | 'needsNetwork' | 'flaky' | 'baseFails', string>>

const BUILD: Words = {
  notRun: 'The app was not built',
  notDeclared: 'it has no build command',
  broken: 'The app does not build with this change',
  needsNetwork: 'The build says nothing about the change, because it needs the network, which it does not have here',
  flaky: 'The build says nothing about the change, because it does not give the same result each time',
  baseFails:
    'The build says nothing about the change, because the build of the live revision does not pass here either',
}
const TEST: Words = {
  notRun: 'The tests were not run',
  notDeclared: 'package.json has no script "test"',
  broken: 'The tests of the app do not pass with this change',
  needsNetwork: 'The tests say nothing about the change, because they need the network, which they do not have here',
  flaky: 'The tests say nothing about the change, because they do not give the same result each time',
  baseFails: 'The tests say nothing about the change, because those of the live revision do not pass here either',
}

type StepVerdict =
  | { readonly type: 'passed' }
  | { readonly type: 'noted'; readonly note: string }
  | Exclude<BuildVerdict, { type: 'valid' }>

const NO_TEST: StepVerdict = {
  type: 'noted',
  note: `${TEST.notRun}: this installation only builds (SVC_MAINTENANCE_BUILD).`,
}

function judgeStep(words: Words, base: TrialStep | undefined, change: TrialStep): StepVerdict {
  switch (change.type) {
    case 'passed':
      return change
    case 'absent':
      return noted(`${words.notRun}: ${words.notDeclared}.`)
    case 'not_run':
      return noted(`${words.notRun}: ${change.reason}.`)
    case 'flaky':
      return noted(`${words.flaky}.`)
    case 'failed':
      if (change.needsNetwork) return noted(`${words.needsNetwork}: ${endOf(change)}`)
      if (base === undefined) return { type: 'needs_base' }
      if (base.type === 'passed') return { type: 'invalid', reason: `${words.broken}: ${endOf(change)}` }
      return noted(`${words.baseFails}: ${endOf(change)}`)
    default:
      return change satisfies never
  }
}

function noted(note: string): StepVerdict {
  return { type: 'noted', note }
}

function endOf({ reason, output }: Extract<TrialStep, { type: 'failed' }>): string {
  return output === '' ? `${reason}.` : `${reason}. Its output ends with:\n${output}`
}

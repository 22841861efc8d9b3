import type { CheckRuns, Signal, SignalEvidence } from './evidence.ts'

/** One failure is an interruption, and a second one can be chance. */
const MIN_FAILURES = 3
/** A check that runs every minute fails now and then: one run in a hundred. */
const MIN_SHARE = 0.01
const DAY_MS = 24 * 3_600_000
/** Checks that run a few times a day are judged by their last runs instead. */
const MIN_RUNS_A_DAY = 20
const MAX_OLD_RUNS = 30
const MAX_AGE_MS = 7 * DAY_MS
/** While a deploy replaces the app, a check can fail once. */
const AROUND_DEPLOY_MS = 2 * 60_000
const MAX_CITED = 3

type Run = CheckRuns['runs'][number]

/** Finds checks that fail and pass in turn. One that fails now is found as such, and has no second finding. */
export function flappingChecks({ checks, deployTimes, now }: SignalEvidence): Signal[] {
  return checks.flatMap(({ name, state, runs }): Signal[] => {
    if (state === 'fail') return []
    const judged = newestRuns(runs, now).filter(({ verdict }) => verdict === 'pass' || verdict === 'fail')
    const failures = firstOfEachFailure(judged, deployTimes)
    if (failures.length < Math.max(MIN_FAILURES, judged.length * MIN_SHARE)) return []
    const summary = `The check ${name} failed and passed again ${failures.length} times in its last ${judged.length} runs.`
    const lines = failures
      .slice(0, MAX_CITED)
      .map(({ at, detail }) => ({ at, text: detail ?? `The check ${name} failed.` }))
    return [{ kind: 'flapping_check', template: `check ${name}`, summary, lines, covers: [] }]
  })
}

function newestRuns(runs: readonly Run[], now: Date): readonly Run[] {
  const age = ({ at }: Run) => now.getTime() - at.getTime()
  const ofToday = runs.filter((run) => age(run) <= DAY_MS)
  if (ofToday.length >= MIN_RUNS_A_DAY) return ofToday
  return runs.slice(0, MAX_OLD_RUNS).filter((run) => age(run) <= MAX_AGE_MS)
}

/** Returns the first run of each failure, newest failure first. The newest run may be one of a failure that goes on. */
function firstOfEachFailure(runs: readonly Run[], deployTimes: readonly Date[]): Run[] {
  const isAtDeploy = ({ at }: Run) =>
    deployTimes.some((time) => Math.abs(at.getTime() - time.getTime()) <= AROUND_DEPLOY_MS)
  return runs.filter((run, index) => run.verdict === 'fail' && runs[index + 1]?.verdict === 'pass' && !isAtDeploy(run))
}

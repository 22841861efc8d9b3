import type { AppTrial, TrialStep } from '#ports/app-trials.ts'
import type { TrialRequest } from './trial.ts'

/**
 * Runs a trial in the time that is left for it and its siblings. A trial that takes longer is ended, and nothing of it
 * was run.
 */
export async function runInTime(
  request: TrialRequest,
  run: (request: TrialRequest) => Promise<AppTrial>,
): Promise<AppTrial> {
  const { time, signal } = request
  if (time === undefined) return run(request)
  if (time.leftMs() <= 0) return overTime(request, time.minutes)
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(), time.leftMs())
  const startedMs = performance.now()
  try {
    return await run({ ...request, signal: AbortSignal.any([signal, over.signal]) })
  } catch (error) {
    if (signal.aborted || !over.signal.aborted) throw error
    return overTime(request, time.minutes)
  } finally {
    clearTimeout(timer)
    time.spend(performance.now() - startedMs)
  }
}

function overTime({ testCommand }: TrialRequest, minutes: number): AppTrial {
  const step: TrialStep = {
    type: 'not_run',
    reason: `the builds and tests for this change took more than ${minutes} minutes together`,
  }
  return testCommand === undefined ? { build: step } : { build: step, test: step }
}

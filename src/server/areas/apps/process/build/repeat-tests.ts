import type { TestRun, TrialStep } from '#ports/app-trials.ts'
import type { CommandEnd } from './run-command.ts'

/** A command of a trial that has ended, and the end of what it wrote. */
export type EndedCommand = {
  readonly end: CommandEnd
  readonly output: string
  readonly needsNetwork: boolean
}

/**
 * Runs tests up to `count` times, one after another, until two results differ or a run ends without one. All runs
 * together may take `totalMs`.
 */
export async function repeatTests(
  run: (limitMs: number) => Promise<EndedCommand>,
  { count, totalMs }: { readonly count: number; readonly totalMs: number },
): Promise<EndedCommand[]> {
  const startedMs = performance.now()
  const runs: EndedCommand[] = []
  let leftMs = totalMs
  while (runs.length < count && leftMs > 0) {
    const one = await run(leftMs)
    runs.push(runs.length > 0 && one.end.isLate ? lateTogether(one, totalMs) : one)
    const { result } = toTestRun(one)
    if (result === 'ended' || result !== toTestRun(runs[0]!).result) break
    leftMs = Math.ceil(totalMs - (performance.now() - startedMs))
  }
  return runs
}

function lateTogether(one: EndedCommand, totalMs: number): EndedCommand {
  const description = `killed: the runs of the tests took more than ${totalMs / 1000} seconds together`
  return { ...one, end: { ...one.end, description } }
}

export function toTestRun({ end, output, needsNetwork }: EndedCommand): TestRun {
  if (end.code === 0) return { result: 'passed', reason: end.description, output }
  if (needsNetwork) return { result: 'ended', reason: 'it needs the network, which it does not have here', output }
  return { result: end.by === 'itself' ? 'failed' : 'ended', reason: end.description, output }
}

export function toStep({ end, output, needsNetwork }: EndedCommand): TrialStep {
  if (end.code === 0) return { type: 'passed' }
  if (end.by === 'svc') return { type: 'not_run', reason: end.description }
  return { type: 'failed', needsNetwork, reason: end.description, output }
}

/** Joins the runs of the tests. Takes at least one. A later run that says nothing does not count. */
export function joinSteps(runs: readonly EndedCommand[]): TrialStep {
  const results = new Set(runs.map((run) => toTestRun(run).result).filter((result) => result !== 'ended'))
  return results.size > 1 ? { type: 'flaky' } : toStep(runs[0]!)
}

import type { DefinitionOf } from '#contract/checks/definition.ts'
import type { AppLogs } from '#ports/apps.ts'
import type { CheckedApp, Outcome } from './outcome.ts'

export type LogDeps = { readonly logs: Pick<AppLogs, 'count'> }

type LogDefinition = DefinitionOf<'log'>
type Counted = { readonly count: number; readonly isComplete: boolean }

/** Counts the lines of the window before `now` that match. */
export async function runLog(
  { logs }: LogDeps,
  app: CheckedApp,
  definition: LogDefinition,
  now: Date,
): Promise<Outcome> {
  const { text, level, window_minutes } = definition
  const since = new Date(now.getTime() - window_minutes * 60_000)
  const words = text?.split(/\s+/) ?? []
  return judgeCount(definition, await logs.count(app.id, { since, until: now, words, level }))
}

/** Lines that could not be read never turn into a pass or a fail which they could have changed. */
export function judgeCount({ min_count, max_count, window_minutes }: LogDefinition, found: Counted): Outcome {
  const { count, isComplete } = found
  const most = max_count ?? (min_count === null ? 0 : Number.POSITIVE_INFINITY)
  const least = min_count ?? 0
  const seen = `${count} ${count === 1 ? 'line' : 'lines'} matched in ${window_minutes} minutes`
  if (count > most) return { verdict: 'fail', code: 'too_many_lines', detail: `${seen}; at most ${most} may.` }
  const isDecided = isComplete || (count >= least && most === Number.POSITIVE_INFINITY)
  if (!isDecided) {
    const detail = `${seen}, but lines were dropped or are too many to be read. Use a shorter window.`
    return { verdict: 'indeterminate', code: 'evidence_limit', detail }
  }
  if (count < least) return { verdict: 'fail', code: 'too_few_lines', detail: `${seen}; at least ${least} must.` }
  return { verdict: 'pass', code: 'counted', detail: `${seen}.` }
}

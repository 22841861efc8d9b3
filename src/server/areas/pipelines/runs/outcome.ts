import type { CallResult } from '../calls/kinds.ts'
import type { RunOutcome } from './transition.ts'

/** How the end of a run's call counts. `wasStarted` says whether a worker had taken it. */
export function outcomeOf(
  result: CallResult,
  wasStarted: boolean,
): { outcome: RunOutcome; code: string | null; reason: string | null } {
  if (result.ok) return { outcome: 'succeeded', code: null, reason: null }
  const { code, message: reason } = result
  if (wasStarted) return { outcome: 'failed', code, reason }
  if (code === 'NO_WORKER') return { outcome: 'host_offline', code, reason }
  return { outcome: 'missed', code, reason: 'No worker had a free place before the time of the run was over.' }
}

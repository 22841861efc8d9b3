import type { Principal } from '#contract/core/principal.ts'
import { listCheckStates, listLiveFiles, readLogTemplates } from '#contract/maintenance/tools.ts'
import type { AppLogs, AppSource, ListCheckStates } from '#edge/apps.ts'
import { type Route, route } from '#edge/http/route.ts'
import type { Clock } from '#lib/clock.ts'
import type { Db } from '#lib/db/db.ts'
import { clusterLines } from '../detect/cluster.ts'
import type { RunClaim } from '../identity/token.ts'
import { recordEvidence } from './evidence.ts'

export type ToolDeps = {
  readonly db: Db
  readonly clock: Clock
  readonly logs: Pick<AppLogs, 'read'>
  readonly source: AppSource
  readonly listChecks: ListCheckStates
}

/** Grouping them takes about 0.1 s, in which this process answers nobody else. */
const MAX_LOG_BYTES = 1024 * 1024
const MAX_CLUSTERS = 200
const MAX_FILES = 5_000
const HOUR_MS = 3_600_000

export function toolRoutes({ db, clock, logs, source, listChecks }: ToolDeps): Route[] {
  return [
    route(readLogTemplates, async ({ hours }, { principal }) => {
      const until = clock.now()
      const since = new Date(until.getTime() - hours * HOUR_MS)
      const window = { since, until, words: [], level: null }
      const { lines, isComplete } = await logs.read(principal.deployment!, window, MAX_LOG_BYTES)
      const all = clusterLines(lines)
      const clusters = all.slice(0, MAX_CLUSTERS).map(({ first_at, last_at, frames, ...rest }) => ({
        ...rest,
        frames: [...frames],
        first_at: first_at.toISOString(),
        last_at: last_at.toISOString(),
      }))
      const data = { clusters, is_complete: isComplete && all.length <= MAX_CLUSTERS }
      const reference = `${since.toISOString()} to ${until.toISOString()}`
      return { evidence_id: await recordEvidence(db, claimOf(principal), { kind: 'logs', reference, data }), ...data }
    }),
    route(listLiveFiles, async (_, { principal }) => {
      const live = await source.live(principal.org_id!, principal.deployment!)
      const data = {
        revision_id: live?.revisionId ?? null,
        files: (live?.files ?? []).slice(0, MAX_FILES).map(({ path, size }) => ({ path, size })),
      }
      const reference = live ? `files of ${live.revisionId}` : 'no live revision'
      return { evidence_id: await recordEvidence(db, claimOf(principal), { kind: 'source', reference, data }), ...data }
    }),
    route(listCheckStates, async (_, { principal }) => {
      const states = await listChecks(principal.deployment!)
      const data = { checks: states.map(({ since, ...check }) => ({ ...check, since: since.toISOString() })) }
      const read = { kind: 'checks', reference: 'states', data } as const
      return { evidence_id: await recordEvidence(db, claimOf(principal), read), ...data }
    }),
  ]
}

/** The resolver of runs puts the fence behind the id. */
function claimOf({ id }: Principal): RunClaim {
  const [runId, fence] = id.split('.')
  return { id: runId!, fence: Number(fence) }
}

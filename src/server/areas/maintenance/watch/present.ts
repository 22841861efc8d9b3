import type { AfterDeploy } from '#contract/maintenance/after-deploy.ts'
import type { WatchRow } from './judge.ts'

type Seen = Pick<WatchRow, 'seen_at' | 'requests' | 'is_partial'>

export function stateOf({ seen_at, requests, is_partial }: Seen): AfterDeploy['state'] {
  if (seen_at !== null) return 'back'
  if (is_partial) return 'not_read'
  return requests > 0 ? 'gone' : 'no_requests'
}

/** Returns undefined as null: there is no watch before the change is live, nor for faults that nothing can show. */
export function presentWatch(row: WatchRow | undefined | null): AfterDeploy | null {
  if (!row) return null
  return {
    state: stateOf(row),
    text: describe(row),
    requests: row.requests,
    live_at: row.live_at.toISOString(),
    watched_until: row.watched_until.toISOString(),
    is_final: row.ended_at !== null,
  }
}

function describe(row: WatchRow): string {
  const { requests, seen_at, replaced_at, ended_at, is_partial } = row
  const count = requests === 1 ? '1 request or run' : `${requests} requests or runs`
  const period = replaced_at
    ? `until another revision went live at ${replaced_at.toISOString()}`
    : `${ended_at ? 'in the 7 days' : 'so far'} since it went live`
  if (seen_at) return `Back: the fault was seen again at ${seen_at.toISOString()}. Nothing was rolled back.`
  if (is_partial)
    return `Not clear: the fault was not seen in ${count} ${period}, but svc could not read all of the log or the runs.`
  if (requests === 0) return `The log shows no request or run ${period}, so nothing shows whether the fault is gone.`
  return `Gone: the fault was not seen in ${count} ${period}.`
}

import type { Querier } from '#lib/db/db.ts'
import type { AppDeploys } from '#ports/app-changes.ts'
import { statusOf } from './status.ts'
import type { ProposalRow } from './store.ts'

type Row = Pick<ProposalRow, 'app_id' | 'status' | 'base_revision_id' | 'ready_at' | 'deploy_id'>

/** Returns the status of each proposal, in the order of the rows. */
export async function findStatuses<R extends Row>(
  db: Querier,
  deploys: Pick<AppDeploys, 'live' | 'states'>,
  rows: readonly R[],
  now: Date,
) {
  const deployIds = rows.flatMap(({ deploy_id }) => (deploy_id === null ? [] : [deploy_id]))
  const live = await deploys.live(db, [...new Set(rows.map(({ app_id }) => app_id))])
  const states = await deploys.states(db, deployIds)
  return rows.map((row) => {
    const app = live.get(row.app_id)
    const facts = {
      stored: row.status,
      baseRevisionId: row.base_revision_id,
      liveRevisionId: app?.liveRevisionId ?? null,
      readyAt: row.ready_at,
      deployState: row.deploy_id === null ? undefined : states.get(row.deploy_id),
    }
    return { row, status: statusOf(facts, now), isDeploying: app?.isDeploying ?? false }
  })
}

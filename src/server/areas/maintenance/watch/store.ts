import type { Querier, Tx } from '#lib/db/db.ts'
import { type Sql, sql } from '#lib/db/sql.ts'
import type { WatchRow } from './judge.ts'

const COLUMNS = sql`live_at, watched_until, requests, seen_at, replaced_at, ended_at, is_partial`

export type WatchedProposal = {
  id: string
  org_id: string
  app_id: string
  deploy_id: string
  decided_at: Date
  kind: string
  template: string
  watch: WatchRow | null
}

/**
 * Lists approved proposals whose watch has not ended, of apps with the agent on, by their ids after `after`. Their deploys
 * need not be live, now or ever. A fault without a log template or a check leaves no trace when it comes back, so it is not watched.
 */
export async function listWatched(
  db: Querier,
  since: Date,
  { after, limit }: { after: string; limit: number },
): Promise<WatchedProposal[]> {
  const rows = await db.query<Omit<WatchedProposal, 'watch'> & WatchRow & { live_at: Date | null }>(sql`
    select proposal.id, proposal.org_id, proposal.app_id, proposal.deploy_id, proposal.decided_at, finding.kind,
      finding.template, watch.live_at, watch.watched_until, watch.requests, watch.seen_at, watch.replaced_at,
      watch.ended_at, watch.is_partial
    from maintenance.proposals proposal
    join maintenance.findings finding on finding.app_id = proposal.app_id and finding.fingerprint = proposal.fingerprint
    join maintenance.apps app on app.app_id = proposal.app_id and app.enabled
    join maintenance.orgs org on org.org_id = proposal.org_id and org.enabled
    left join maintenance.watches watch on watch.deploy_id = proposal.deploy_id
    where proposal.status = 'approved' and proposal.deploy_id is not null and proposal.decided_at >= ${since}
      and proposal.id > ${after} and watch.ended_at is null and finding.template <> ''
      and finding.kind not in ('slow_endpoint', 'errors_after_deploy', 'expiring')
    order by proposal.id limit ${limit}`)
  return rows.map(({ live_at, watched_until, requests, seen_at, replaced_at, ended_at, is_partial, ...proposal }) => ({
    ...proposal,
    watch: live_at === null ? null : { live_at, watched_until, requests, seen_at, replaced_at, ended_at, is_partial },
  }))
}

type Saved = { readonly deployId: string; readonly proposalId: string; readonly former: Date | null }

/** Saves a watch. Returns false if another process went on with it meanwhile, which has counted the same lines. */
export async function saveWatch(tx: Tx, { deployId, proposalId, former }: Saved, row: WatchRow): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into maintenance.watches as watch (deploy_id, proposal_id, ${COLUMNS})
    values (${deployId}, ${proposalId}, ${row.live_at}, ${row.watched_until}, ${row.requests}, ${row.seen_at},
      ${row.replaced_at}, ${row.ended_at}, ${row.is_partial})
    on conflict (deploy_id) do update
    set watched_until = excluded.watched_until, requests = excluded.requests, seen_at = excluded.seen_at,
      replaced_at = excluded.replaced_at, ended_at = excluded.ended_at, is_partial = excluded.is_partial
    where watch.watched_until = ${former} and watch.ended_at is null
    returning deploy_id`)
  return rows.length > 0
}

/** By deploy id. */
export async function findWatches(db: Querier, deployIds: readonly string[]): Promise<Map<string, WatchRow>> {
  return mapOf(
    db,
    sql`select deploy_id as id, ${COLUMNS} from maintenance.watches
    where deploy_id = any(${[...deployIds]}::text[])`,
  )
}

/** By the id of the proposal that a run opened. */
export async function findWatchesOf(db: Querier, proposalIds: readonly string[]): Promise<Map<string, WatchRow>> {
  return mapOf(
    db,
    sql`select proposal.id, ${COLUMNS} from maintenance.proposals proposal
    join maintenance.watches watch on watch.deploy_id = proposal.deploy_id
    where proposal.id = any(${[...proposalIds]}::text[])`,
  )
}

async function mapOf(db: Querier, query: Sql): Promise<Map<string, WatchRow>> {
  const rows = await db.query<{ id: string } & WatchRow>(query)
  return new Map(rows.map(({ id, ...row }) => [id, row]))
}

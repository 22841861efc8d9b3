import type { Deploy, DeployState } from '#contract/apps/deploys.ts'
import { notFound, ServiceError } from '#contract/core/errors.ts'
import type { PageQuery } from '#edge/route/paging.ts'
import type { Stored } from '#edge/route/stored.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { notify } from '#lib/db/notify.ts'
import { sql } from '#lib/db/sql.ts'
import type { AppLive, ListWentLive, WentLive } from '#ports/app-changes.ts'
import type { AppRow } from '../model/store.ts'
import { type LastDeploy, nothingToRollBack } from './nothing-to-roll-back.ts'

/** Notified with the id of the app when there is something to do for its host or its followers. */
export const DEPLOYS_CHANNEL = 'apps_deploys'

export type DeployRow = Stored<Deploy> & {
  readonly app_id: string
  readonly org_id: string
  readonly attempt: number
  readonly build_command: string | null
  readonly start_command: string | null
  readonly health_path: string | null
}

const columns = sql`deploys.id, deploys.app_id, deploys.org_id, deploys.revision_id, deploys.kind, deploys.state,
  deploys.attempt, deploys.build_command, deploys.start_command, deploys.health_path, deploys.failure_code,
  deploys.failure_detail, deploys.requested_by, deploys.created_at, deploys.started_at, deploys.live_at, deploys.ended_at,
  (select revisions.message from apps.revisions where revisions.id = deploys.revision_id) as revision_message`

type NewDeploy = Pick<DeployRow, 'id' | 'app_id' | 'org_id' | 'revision_id' | 'kind' | 'requested_by' | 'created_at'>

/** Queues a deploy in place of one that waits. The row of the app must be locked, so that two cannot both do it. */
export async function queueDeploy(tx: Tx, deploy: NewDeploy): Promise<DeployRow> {
  await tx.query(sql`
    update apps.deploys set state = 'superseded', ended_at = ${deploy.created_at}
    where app_id = ${deploy.app_id} and state = 'queued'`)
  const [row] = await tx.query<DeployRow>(sql`
    insert into apps.deploys (id, app_id, org_id, revision_id, kind, state, requested_by, created_at)
    values (${deploy.id}, ${deploy.app_id}, ${deploy.org_id}, ${deploy.revision_id}, ${deploy.kind}, 'queued',
            ${deploy.requested_by}, ${deploy.created_at})
    returning ${columns}`)
  await notify(tx, DEPLOYS_CHANNEL, deploy.app_id)
  return row!
}

export async function requireDeploy(db: Querier, appId: string, id: string): Promise<DeployRow> {
  const [row] = await db.query<DeployRow>(sql`
    select ${columns} from apps.deploys where app_id = ${appId} and id = ${id}`)
  if (!row) throw notFound('deploy')
  return row
}

/** Newest first, one row more than `limit`. */
export function pageDeploys(db: Querier, appId: string, { before, limit }: PageQuery): Promise<DeployRow[]> {
  return db.query<DeployRow>(sql`
    select ${columns} from apps.deploys
    where app_id = ${appId} and (${before}::text is null or id < ${before})
    order by id desc limit ${limit + 1}`)
}

/** The deploys that a host works with: the live one, what is under way, what waits, newest first. */
export function listCurrentDeploys(db: Querier, appId: string): Promise<DeployRow[]> {
  return db.query<DeployRow>(sql`
    select ${columns} from apps.deploys
    where app_id = ${appId} and state in ('queued', 'building', 'starting', 'live')
    order by id desc`)
}

export async function findLiveRevision(db: Querier, orgId: string, appId: string): Promise<string | undefined> {
  const [row] = await db.query<{ revision_id: string }>(sql`
    select revision_id from apps.deploys where org_id = ${orgId} and app_id = ${appId} and state = 'live'`)
  return row?.revision_id
}

/** By app id. Apps that were never deployed have no entry. */
export async function readLive(db: Querier, appIds: readonly string[]): Promise<ReadonlyMap<string, AppLive>> {
  const rows = await db.query<{ app_id: string } & AppLive>(sql`
    select app_id, min(revision_id) filter (where state = 'live') as "liveRevisionId",
      bool_or(state in ('queued', 'building', 'starting')) as "isDeploying"
    from apps.deploys where app_id = any(${appIds}::text[])
    group by app_id`)
  return new Map(rows.map(({ app_id, ...live }) => [app_id, live]))
}

const MAX_WENT_LIVE = 50

export const listWentLive: ListWentLive = (db, appId, since) =>
  db.query<WentLive>(sql`
    select id, revision_id as "revisionId", live_at as "liveAt", ended_at as "endedAt" from apps.deploys
    where app_id = ${appId} and live_at >= ${since} and state in ('live', 'retired')
    order by live_at desc, id desc limit ${MAX_WENT_LIVE}`)

/** By deploy id. */
export async function readDeployStates(db: Querier, deployIds: readonly string[]) {
  const rows = await db.query<{ id: string; state: DeployState }>(sql`
    select id, state from apps.deploys where id = any(${deployIds}::text[])`)
  return new Map(rows.map(({ id, state }) => [id, state]))
}

export async function hasRevision(db: Querier, appId: string, revisionId: string): Promise<boolean> {
  const rows = await db.query(sql`select from apps.revisions where app_id = ${appId} and id = ${revisionId}`)
  return rows.length === 1
}

/** Returns the revision that was live before the one that is live, or was last. */
export async function findPreviousRevision(db: Querier, appId: string): Promise<string> {
  const [row] = await db.query<{ revision_id: string }>(sql`
    with live as (select revision_id from apps.deploys where app_id = ${appId} and state = 'live')
    select revision_id from apps.deploys
    where app_id = ${appId} and state = 'retired' and revision_id not in (select revision_id from live)
    order by ended_at desc, id desc limit 1`)
  if (row) return row.revision_id
  const newest = await db.query<LastDeploy>(sql`
    select id, revision_id, state, live_at from apps.deploys
    where app_id = ${appId} and (state = 'live' or id = (
      select max(id) from apps.deploys where app_id = ${appId} and state <> 'superseded'))`)
  throw new ServiceError('NOTHING_TO_ROLL_BACK', nothingToRollBack(newest))
}

/** The deploys that were live before the live one, newest first. */
export function listFormerDeploys(db: Querier, appId: string, limit: number): Promise<DeployRow[]> {
  return db.query<DeployRow>(sql`
    select ${columns} from apps.deploys
    where app_id = ${appId} and state = 'retired'
    order by ended_at desc, id desc limit ${limit}`)
}

type Change = Partial<
  Pick<DeployRow, 'state' | 'started_at' | 'live_at' | 'ended_at' | 'failure_code' | 'failure_detail'>
>

/** Moves a deploy from one of the states on. Returns undefined, and changes nothing, if it is in another one by now. */
export async function moveDeploy(
  tx: Tx,
  id: string,
  from: readonly DeployState[],
  change: Change & { state: DeployState },
): Promise<DeployRow | undefined> {
  const { state, started_at, live_at, ended_at, failure_code, failure_detail } = change
  const [row] = await tx.query<DeployRow>(sql`
    update apps.deploys set
      state = ${state},
      started_at = coalesce(${started_at ?? null}, started_at),
      live_at = coalesce(${live_at ?? null}, live_at),
      ended_at = ${ended_at ?? null},
      failure_code = ${failure_code ?? null},
      failure_detail = ${failure_detail ?? null}
    where id = ${id} and state = any(${from})
    returning ${columns}`)
  if (row) await notify(tx, DEPLOYS_CHANNEL, row.app_id)
  return row
}

/** Ends the service of the live deploy, if there is one. */
export async function retireLive(tx: Tx, appId: string, at: Date): Promise<void> {
  await tx.query(sql`
    update apps.deploys set state = 'retired', ended_at = ${at} where app_id = ${appId} and state = 'live'`)
}

/** Begins a deploy that waits: counts the attempt and keeps the app's settings of this moment. */
export async function beginDeploy(tx: Tx, id: string, now: Date): Promise<DeployRow | undefined> {
  const [row] = await tx.query<DeployRow>(sql`
    update apps.deploys set
      state = 'building', attempt = attempt + 1, started_at = ${now},
      build_command = app.build_command, start_command = app.start_command, health_path = app.health_path
    from apps.apps app
    where deploys.id = ${id} and deploys.state = 'queued' and app.id = deploys.app_id and app.state = 'active'
    returning ${columns}`)
  if (row) await notify(tx, DEPLOYS_CHANNEL, row.app_id)
  return row
}

/** Puts a deploy that a stopping process gave up back into the queue, as if it had not been begun. */
export async function returnToQueue(tx: Tx, id: string, { countsAttempt }: { countsAttempt: boolean }): Promise<void> {
  const rows = await tx.query<{ app_id: string }>(sql`
    update apps.deploys set state = 'queued', started_at = null,
      attempt = attempt - ${countsAttempt ? 0 : 1}
    where id = ${id} and state in ('building', 'starting')
      and not exists (select from apps.deploys newer where newer.app_id = deploys.app_id and newer.state = 'queued')
    returning app_id`)
  for (const { app_id } of rows) await notify(tx, DEPLOYS_CHANNEL, app_id)
}

export type HostedApp = Pick<AppRow, 'id' | 'org_id' | 'alias' | 'name' | 'host_label' | 'state'>

/**
 * Apps that somebody must host: something is live, under way or waiting, or the app is to be deleted. `is_waiting`: its
 * host has something to do, a live app alone needs nothing.
 */
export function listAppsToHost(db: Querier): Promise<(HostedApp & { readonly is_waiting: boolean })[]> {
  return db.query(sql`
    select apps.id, apps.org_id, apps.alias, apps.name, apps.host_label, apps.state,
           apps.state = 'deleting' or bool_or(deploys.state <> 'live') as is_waiting
    from apps.apps left join apps.deploys
      on deploys.app_id = apps.id and deploys.state in ('queued', 'building', 'starting', 'live')
    group by apps.id
    having apps.state = 'deleting' or count(deploys.id) > 0
    order by apps.id`)
}

/** The longest time that a former instance may take to end: it answers its requests first, then has its grace time. */
const FORMER_INSTANCE_SECONDS = 60

type DeployOfApp = { readonly orgId: string; readonly appId: string; readonly deployId: string }

/**
 * Whether an instance of the deploy may run. One that was replaced has a minute, because its worker still reports the
 * results of calls that it runs.
 */
export async function isDeployServing(db: Querier, deploy: DeployOfApp, now: Date): Promise<boolean> {
  const retiredAfter = new Date(now.getTime() - FORMER_INSTANCE_SECONDS * 1000)
  const rows = await db.query(sql`
    select from apps.deploys join apps.apps on apps.id = deploys.app_id
    where deploys.id = ${deploy.deployId} and apps.id = ${deploy.appId} and apps.org_id = ${deploy.orgId}
      and apps.state = 'active'
      and (deploys.state in ('starting', 'live') or (deploys.state = 'retired' and deploys.ended_at > ${retiredAfter}))`)
  return rows.length === 1
}

type LiveDeploy = { readonly orgId: string; readonly deployId: string }

/** The live deploy of the app with this host label, whichever process hosts it. */
export async function findLiveDeploy(db: Querier, hostLabel: string): Promise<LiveDeploy | undefined> {
  const [row] = await db.query<LiveDeploy>(sql`
    select deploys.org_id as "orgId", deploys.id as "deployId" from apps.apps
    join apps.deploys on deploys.app_id = apps.id and deploys.state = 'live'
    where apps.host_label = ${hostLabel} and apps.state = 'active'`)
  return row
}

export async function findHostedApp(db: Querier, appId: string): Promise<HostedApp | undefined> {
  const [row] = await db.query<HostedApp>(sql`
    select id, org_id, alias, name, host_label, state from apps.apps where id = ${appId}`)
  return row
}

type DeployedApp = HostedApp & Pick<DeployRow, 'requested_by'>

export async function findAppOfDeploy(db: Querier, deployId: string): Promise<DeployedApp | undefined> {
  const [row] = await db.query<DeployedApp>(sql`
    select apps.id, apps.org_id, apps.alias, apps.name, apps.host_label, apps.state, deploys.requested_by
    from apps.deploys join apps.apps on apps.id = deploys.app_id
    where deploys.id = ${deployId}`)
  return row
}

type LockedApp = HostedApp & Pick<AppRow, 'start_command'>

/** Locks the app, so that it is neither deleted nor given another deploy before the transaction ends. */
export async function lockApp(tx: Tx, appId: string): Promise<LockedApp | undefined> {
  const [row] = await tx.query<LockedApp>(sql`
    select id, org_id, alias, name, host_label, state, start_command from apps.apps where id = ${appId} for update`)
  return row
}

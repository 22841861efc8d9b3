import type { Deploy, DeployFailure, DeployState } from '#contract/apps/deploys.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

/** Notified with the id of the app when there is something to do for its host or its followers. */
export const DEPLOYS_CHANNEL = 'apps_deploys'

export type DeployRow = {
  readonly id: string
  readonly app_id: string
  readonly org_id: string
  readonly revision_id: string
  readonly revision_message: string | null
  readonly kind: Deploy['kind']
  readonly state: DeployState
  readonly attempt: number
  readonly build_command: string | null
  readonly start_command: string | null
  readonly health_path: string | null
  readonly failure_code: DeployFailure | null
  readonly failure_detail: string | null
  readonly requested_by: string | null
  readonly created_at: Date
  readonly started_at: Date | null
  readonly live_at: Date | null
  readonly ended_at: Date | null
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
  await notifyDeploys(tx, deploy.app_id)
  return row!
}

export async function notifyDeploys(tx: Pick<Tx, 'query'>, appId: string): Promise<void> {
  await tx.query(sql`select pg_notify(${DEPLOYS_CHANNEL}, ${appId})`)
}

export async function findDeploy(db: Querier, appId: string, id: string): Promise<DeployRow | undefined> {
  const [row] = await db.query<DeployRow>(sql`
    select ${columns} from apps.deploys where app_id = ${appId} and id = ${id}`)
  return row
}

export function listDeployRows(
  db: Querier,
  appId: string,
  { limit, before }: { limit: number; before: string | null },
): Promise<DeployRow[]> {
  return db.query<DeployRow>(sql`
    select ${columns} from apps.deploys
    where app_id = ${appId} ${before === null ? sql`` : sql`and id < ${before}`}
    order by id desc limit ${limit}`)
}

/** The deploys that a host works with: the live one, what is under way, what waits, newest first. */
export function listCurrentDeploys(db: Querier, appId: string): Promise<DeployRow[]> {
  return db.query<DeployRow>(sql`
    select ${columns} from apps.deploys
    where app_id = ${appId} and state in ('queued', 'building', 'starting', 'live')
    order by id desc`)
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
  if (row) await notifyDeploys(tx, row.app_id)
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
  if (row) await notifyDeploys(tx, row.app_id)
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
  for (const { app_id } of rows) await notifyDeploys(tx, app_id)
}

export type HostedApp = {
  readonly id: string
  readonly org_id: string
  readonly alias: string
  readonly name: string
  readonly host_label: string
  readonly state: 'active' | 'deleting'
}

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

/** The live deploy of the app with this host label, whichever process hosts it. */
export async function findLiveDeploy(
  db: Querier,
  hostLabel: string,
): Promise<{ readonly orgId: string; readonly deployId: string } | undefined> {
  const [row] = await db.query<{ org_id: string; id: string }>(sql`
    select deploys.org_id, deploys.id from apps.apps
    join apps.deploys on deploys.app_id = apps.id and deploys.state = 'live'
    where apps.host_label = ${hostLabel} and apps.state = 'active'`)
  return row && { orgId: row.org_id, deployId: row.id }
}

export async function findHostedApp(db: Querier, appId: string): Promise<HostedApp | undefined> {
  const [row] = await db.query<HostedApp>(sql`
    select id, org_id, alias, name, host_label, state from apps.apps where id = ${appId}`)
  return row
}

/** The app of a deploy. */
export async function findAppOfDeploy(
  db: Querier,
  deployId: string,
): Promise<(HostedApp & Pick<DeployRow, 'requested_by'>) | undefined> {
  const [row] = await db.query<HostedApp & Pick<DeployRow, 'requested_by'>>(sql`
    select apps.id, apps.org_id, apps.alias, apps.name, apps.host_label, apps.state, deploys.requested_by
    from apps.deploys join apps.apps on apps.id = deploys.app_id
    where deploys.id = ${deployId}`)
  return row
}

/** Locks the app, so that it is neither deleted nor given another deploy before the transaction ends. */
export async function lockApp(
  tx: Tx,
  appId: string,
): Promise<(HostedApp & { start_command: string | null }) | undefined> {
  const [row] = await tx.query<HostedApp & { start_command: string | null }>(sql`
    select id, org_id, alias, name, host_label, state, start_command from apps.apps where id = ${appId} for update`)
  return row
}

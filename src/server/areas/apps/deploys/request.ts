import { notFound, ServiceError } from '#contract/core/errors.ts'
import { newId } from '#edge/ids.ts'
import type { Clock } from '#lib/clock.ts'
import type { Db, Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { audit } from '#ports/audit.ts'
import { type DeployRow, lockApp, queueDeploy } from './store.ts'

type Deps = { readonly clock: Clock; readonly deploysOff: string | undefined }
type DeployRequest = {
  readonly appId: string
  readonly revisionId: string
  readonly kind: DeployRow['kind']
  readonly requestedBy: string | null
  /** As the audit trail names who asked for it. */
  readonly actor: string
}

/** Queues a deploy of a revision of this app. */
export async function requestDeploy(deps: Deps & { readonly db: Db }, request: DeployRequest): Promise<DeployRow> {
  return deps.db.tx((tx) => requestDeployIn(tx, deps, request))
}

/** As `requestDeploy`, in the transaction of the caller. */
export async function requestDeployIn(
  tx: Tx,
  { clock, deploysOff }: Deps,
  { appId, revisionId, kind, requestedBy, actor }: DeployRequest,
): Promise<DeployRow> {
  if (deploysOff !== undefined) throw new ServiceError('DEPLOYS_OFF', deploysOff)
  const locked = await lockApp(tx, appId)
  if (!locked || locked.state === 'deleting') throw notFound('app')
  if (!(await hasRevision(tx, appId, revisionId))) throw notFound('revision')
  if (locked.start_command === null) {
    throw new ServiceError('APP_NOT_STARTABLE', 'The app has no start command. Set one in its settings, then deploy.')
  }
  const at = clock.now()
  const of = { app_id: appId, org_id: locked.org_id, revision_id: revisionId, kind }
  const deploy = await queueDeploy(tx, { id: newId('dep'), ...of, requested_by: requestedBy, created_at: at })
  const entry = { org_id: locked.org_id, actor, action: 'deploy.requested', target: deploy.id, at }
  await audit(tx, { ...entry, detail: { app: appId, revision: revisionId, kind } })
  return deploy
}

async function hasRevision(db: Querier, appId: string, revisionId: string): Promise<boolean> {
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
  throw new ServiceError(
    'NOTHING_TO_ROLL_BACK',
    'No other revision of this app was live before. Name a revision to deploy it.',
  )
}

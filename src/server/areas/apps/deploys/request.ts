import { notFound, ServiceError } from '#contract/core/errors.ts'
import { audit } from '#edge/audit.ts'
import { actorOf } from '#edge/credentials/actor.ts'
import type { Member } from '#edge/http/route.ts'
import { newId } from '#edge/ids.ts'
import type { Clock } from '#lib/clock.ts'
import type { Db, Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { type DeployRow, lockApp, queueDeploy } from './store.ts'

type Deps = { readonly db: Db; readonly clock: Clock; readonly deploysOff: string | undefined }
type DeployRequest = {
  readonly app: { readonly id: string }
  readonly principal: Member
  readonly revisionId: string
  readonly kind: 'deploy' | 'rollback'
}

/** Queues a deploy of a revision of this app. */
export async function requestDeploy(
  { db, clock, deploysOff }: Deps,
  { app, principal, revisionId, kind }: DeployRequest,
): Promise<DeployRow> {
  if (deploysOff !== undefined) throw new ServiceError('DEPLOYS_OFF', deploysOff)
  return db.tx(async (tx) => {
    const locked = await lockApp(tx, app.id)
    if (!locked || locked.state === 'deleting') throw notFound('app')
    if (!(await hasRevision(tx, app.id, revisionId))) throw notFound('revision')
    if (locked.start_command === null) {
      throw new ServiceError('APP_NOT_STARTABLE', 'The app has no start command. Set one in its settings, then deploy.')
    }
    const created_at = clock.now()
    const deploy = await queueDeploy(tx, {
      id: newId('dep'),
      app_id: app.id,
      org_id: locked.org_id,
      revision_id: revisionId,
      kind,
      requested_by: principal.user_id,
      created_at,
    })
    const detail = { app: app.id, revision: revisionId, kind }
    const actor = actorOf(principal)
    await audit(tx, {
      org_id: locked.org_id,
      actor,
      action: 'deploy.requested',
      target: deploy.id,
      detail,
      at: created_at,
    })
    return deploy
  })
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

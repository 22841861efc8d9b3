import { notFound, ServiceError } from '#contract/core/errors.ts'
import { newId } from '#edge/ids.ts'
import type { Tx } from '#lib/db/db.ts'
import { audit } from '#ports/audit.ts'
import type { AppDeps } from '../model/deps.ts'
import { type DeployRow, hasRevision, lockApp, queueDeploy } from './store.ts'

type DeployRequest = {
  readonly appId: string
  readonly revisionId: string
  readonly kind: DeployRow['kind']
  readonly requestedBy: string | null
  /** As the audit trail names who asked for it. */
  readonly actor: string
}

/** Queues a deploy of a revision of this app. */
export async function requestDeploy(
  tx: Tx,
  { clock, deploysOff }: Pick<AppDeps, 'clock' | 'deploysOff'>,
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

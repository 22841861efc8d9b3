import type { DeployFailure, DeployState } from '#contract/apps/deploys.ts'
import type { Tx } from '#lib/db/db.ts'
import { emit } from '#ports/emit.ts'
import { type DeployRow, type HostedApp, moveDeploy } from '../deploys/store.ts'

type Failure = { readonly code: DeployFailure; readonly detail: string; readonly at: Date }

/** Marks a deploy as failed and reports it in the same transaction, so that the event comes once. */
export async function failDeploy(
  tx: Tx,
  app: HostedApp,
  deploy: Pick<DeployRow, 'id' | 'requested_by'>,
  from: readonly DeployState[],
  { code, detail, at }: Failure,
): Promise<boolean> {
  const change = { state: 'failed', failure_code: code, failure_detail: detail, ended_at: at } as const
  const failed = await moveDeploy(tx, deploy.id, from, change)
  if (!failed) return false
  await emit(tx, {
    type: 'deploy.failed',
    org_id: app.org_id,
    occurred_at: at,
    body: {
      status: code,
      actor_id: deploy.requested_by,
      app: { id: app.id, alias: app.alias, name: app.name },
      deployment_id: deploy.id,
    },
  })
  return true
}

import { actorOf } from '#edge/credentials/actor.ts'
import type { Member } from '#edge/http/route.ts'
import type { Tx } from '#lib/db/db.ts'
import type { AppName } from '#ports/apps.ts'
import { audit } from '#ports/audit.ts'
import type { PipelineRow } from './store.ts'

/** Who changes a pipeline, and of which app. */
export type ChangedBy = {
  readonly principal: Pick<Member, 'id' | 'org_id' | 'support'>
  readonly app: Pick<AppName, 'alias'>
}

type Change = {
  readonly action: 'pipeline.enabled' | 'pipeline.disabled' | 'pipeline.deleted'
  readonly pipeline: Pick<PipelineRow, 'id' | 'name'>
  readonly at: Date
}

/** Records what a person did to a pipeline. The entry has names too, because ids say nothing after a deletion. */
export async function auditPipeline(
  tx: Tx,
  { principal, app }: ChangedBy,
  { action, pipeline, at }: Change,
): Promise<void> {
  const entry = { org_id: principal.org_id, actor: actorOf(principal), action, target: pipeline.id, at }
  await audit(tx, { ...entry, detail: { alias: app.alias, name: pipeline.name } })
}

import { actorOf } from '#edge/credentials/actor.ts'
import type { Member } from '#edge/http/route.ts'
import type { Tx } from '#lib/db/db.ts'
import type { AppName } from '#ports/apps.ts'
import { audit } from '#ports/audit.ts'
import type { CheckRow } from './store.ts'

type Change = { action: string; app: AppName; check: Pick<CheckRow, 'id' | 'name'>; at: Date }

/** Records a change of a check. The entry names check and app, because ids say nothing once they are deleted. */
export async function auditCheck(tx: Tx, principal: Member, { action, app, check, at }: Change): Promise<void> {
  const entry = { org_id: principal.org_id, actor: actorOf(principal), action, target: check.id, at }
  await audit(tx, { ...entry, detail: { alias: app.alias, name: check.name } })
}

import { actorOf } from '#edge/credentials/actor.ts'
import type { Member } from '#edge/route/route.ts'
import type { Tx } from '#lib/db/db.ts'
import { audit } from '#ports/audit.ts'
import type { AppRow } from './store.ts'

type Change = {
  action: string
  app: Pick<AppRow, 'id' | 'alias'>
  detail?: Record<string, unknown>
  at: Date
}

/** Records a change of an app. The entry names its alias too, because the id says nothing once the app is deleted. */
export async function auditApp(tx: Tx, principal: Member, { action, app, detail, at }: Change): Promise<void> {
  const entry = { org_id: principal.org_id, actor: actorOf(principal), action, target: app.id, at }
  await audit(tx, { ...entry, detail: { alias: app.alias, ...detail } })
}

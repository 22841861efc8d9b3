import { ServiceError } from '#contract/core/errors.ts'
import { switchSource } from '#contract/data-sources/sources.ts'
import { newId } from '#edge/ids.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Db, Tx } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import { auditBy } from '#ports/audit.ts'
import { presentSource } from '../answer/present-source.ts'
import { switchRow } from '../store.ts'

export type SwitchDeps = {
  db: Db
  clock: Clock
  /** Whether the organization has a managed database of that name. It is not dropped before the transaction ends. */
  hasDatabase: (tx: Tx, orgId: string, name: string) => Promise<boolean>
}

export function switchRoute({ db, clock, hasDatabase }: SwitchDeps): Route {
  return route(switchSource, async ({ name, enabled, description = null }, { principal }) => {
    const { org_id } = principal
    const now = clock.now()
    const row = await db.tx(async (tx) => {
      if (!(await hasDatabase(tx, org_id, name))) throw new ServiceError('NOT_FOUND', 'No such database.')
      const source = { id: newId('ds'), org_id, database_name: name, enabled, description, now }
      const switched = await switchRow(tx, source)
      const action = enabled ? 'data_source.switched_on' : 'data_source.switched_off'
      await auditBy(tx, principal, { action, target: switched.id, at: now })
      return switched
    })
    return presentSource(row)
  })
}

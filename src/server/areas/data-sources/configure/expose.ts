import { ServiceError } from '#contract/core/errors.ts'
import { exposeSource, MAX_EXPOSED_SOURCES } from '#contract/data-sources/sources.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Db, Tx } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import { auditBy } from '#ports/audit.ts'
import { presentSource } from '../answer/present-source.ts'
import { countExposed, exposeRow, lockSource, type SourceRow } from '../store.ts'
import { noSuchSource } from './no-such-source.ts'

export function exposeRoute({ db, clock }: { db: Db; clock: Clock }): Route {
  return route(exposeSource, async ({ id, exposed, min_role }, { principal }) => {
    const { org_id } = principal
    const now = clock.now()
    const row = await db.tx(async (tx) => {
      const source = await lockSource(tx, org_id, id)
      if (!source) throw noSuchSource()
      const role = min_role ?? source.min_role
      if (exposed) await admitExposure(tx, org_id, source, role)
      const updated = await exposeRow(tx, { id: source.id, exposed, min_role: role, now })
      const action = exposed ? 'data_source.exposed' : 'data_source.unexposed'
      await auditBy(tx, principal, { action, target: updated.id, detail: { min_role: role }, at: now })
      return updated
    })
    return presentSource(row)
  })
}

async function admitExposure(tx: Tx, orgId: string, source: SourceRow, role: SourceRow['min_role']): Promise<void> {
  if (!source.enabled)
    throw new ServiceError(
      'SOURCE_OFF',
      `The database is not switched on as a data source. Switch it on first: svc datasource enable ${source.database_name}`,
    )
  if (role === null) {
    const errors = [{ path: 'min_role', message: 'required the first time a source is exposed' }]
    throw new ServiceError('INVALID_REQUEST', 'min_role: required the first time a source is exposed', { errors })
  }
  if ((await countExposed(tx, orgId)) >= MAX_EXPOSED_SOURCES && !source.exposed) {
    throw new ServiceError(
      'EXPOSED_LIMIT',
      `At most ${MAX_EXPOSED_SOURCES} data sources can be exposed. Stop exposing another one first.`,
    )
  }
}

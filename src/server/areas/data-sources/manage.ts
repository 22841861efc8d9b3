import { ServiceError } from '#contract/core/errors.ts'
import { EXPOSED_SOURCES_MAX, exposeSource, listSources, switchSource } from '#contract/data-sources/sources.ts'
import { audit } from '#edge/audit.ts'
import { actorOf } from '#edge/credentials/actor.ts'
import { readCursor, toPage } from '#edge/http/paging.ts'
import { type Route, route } from '#edge/http/route.ts'
import type { Clock } from '#lib/clock.ts'
import type { Db, Tx } from '#lib/db/db.ts'
import { newId } from '#lib/ids.ts'
import { presentSource } from './present.ts'
import { countExposed, exposeRow, lockSource, pageSources, type SourceRow, switchRow } from './store.ts'

export type ManageDeps = {
  db: Db
  clock: Clock
  /** Whether the organization has a managed database of that name; it stays until the transaction ends. */
  hasDatabase: (tx: Tx, orgId: string, name: string) => Promise<boolean>
}

export function manageRoutes({ db, clock, hasDatabase }: ManageDeps): Route[] {
  return [
    route(listSources, async ({ limit, cursor }, { principal }) => {
      return toPage(await pageSources(db, principal.org_id, readCursor(cursor), limit), limit, presentSource)
    }),
    route(switchSource, async ({ name, enabled, description = null }, { principal }) => {
      const { org_id } = principal
      const now = clock.now()
      const row = await db.tx(async (tx) => {
        if (!(await hasDatabase(tx, org_id, name))) throw new ServiceError('NOT_FOUND', 'no such database')
        const to = { id: newId('ds'), org_id, database_name: name, enabled, description, now }
        const switched = await switchRow(tx, to)
        const action = enabled ? 'data_source.switched_on' : 'data_source.switched_off'
        await audit(tx, { org_id, actor: actorOf(principal), action, target: switched.id, at: now })
        return switched
      })
      return presentSource(row)
    }),
    route(exposeSource, async ({ id, exposed, min_role }, { principal }) => {
      const { org_id } = principal
      const now = clock.now()
      const row = await db.tx(async (tx) => {
        const before = await lockSource(tx, org_id, id)
        if (!before) throw new ServiceError('NOT_FOUND', 'no such data source')
        const role = min_role ?? before.min_role
        if (exposed) await admitExposure(tx, org_id, before, role)
        const after = await exposeRow(tx, { id: before.id, exposed, min_role: role, now })
        const action = exposed ? 'data_source.exposed' : 'data_source.unexposed'
        await audit(tx, {
          org_id,
          actor: actorOf(principal),
          action,
          target: after.id,
          detail: { min_role: role },
          at: now,
        })
        return after
      })
      return presentSource(row)
    }),
  ]
}

async function admitExposure(tx: Tx, orgId: string, source: SourceRow, role: SourceRow['min_role']): Promise<void> {
  if (!source.enabled) throw new ServiceError('SOURCE_OFF', 'switch the database on as a data source first')
  if (role === null) {
    const errors = [{ path: 'min_role', message: 'needed the first time' }]
    throw new ServiceError('INVALID_REQUEST', 'min_role: needed the first time', { errors })
  }
  if ((await countExposed(tx, orgId)) >= EXPOSED_SOURCES_MAX && !source.exposed) {
    throw new ServiceError('EXPOSED_LIMIT', `at most ${EXPOSED_SOURCES_MAX} data sources can be exposed`)
  }
}

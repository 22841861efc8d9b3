import { ServiceError } from '#contract/core/errors.ts'
import { readConnection } from '#contract/databases.ts'
import { type Route, route } from '#edge/route/route.ts'
import { auditBy } from '#ports/audit.ts'
import { connectionString } from '../engine/engine.ts'
import { openPassword } from '../model/new-database.ts'
import { type DatabaseRow, findDatabase } from '../model/store.ts'
import type { DatabaseDeps } from '../servers/deps.ts'

export function connectRoute(deps: DatabaseDeps): Route {
  const { db, clock, sealer, servers } = deps
  return route(readConnection, async ({ name }, { principal }) => {
    const row = await needReady(deps, principal.org_id, name)
    const password = openPassword(row, 'owner', sealer)
    const login = { role: row.owner_role, password, database: row.physical_name }
    const connection_string = connectionString(await servers.engineOf(row).publicAddress(), login)
    const entry = { action: 'database.connection_read', target: row.id, detail: { name }, at: clock.now() }
    await db.tx((tx) => auditBy(tx, principal, entry))
    return { connection_string }
  })
}

export async function needReady({ db }: Pick<DatabaseDeps, 'db'>, orgId: string, name: string): Promise<DatabaseRow> {
  const row = await findDatabase(db, orgId, name)
  if (!row) throw noSuchDatabase(name)
  if (row.state !== 'ready')
    throw new ServiceError('CONFLICT', `The database ${name} is not ready. Its state is ${row.state}.`)
  return row
}

export function noSuchDatabase(name: string): ServiceError {
  return new ServiceError('NOT_FOUND', `No such database: ${name}.`)
}

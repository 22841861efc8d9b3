import { ServiceError } from '#contract/core/errors.ts'
import { dropDatabase } from '#contract/databases.ts'
import { type Member, type Route, route } from '#edge/route/route.ts'
import { auditBy } from '#ports/audit.ts'
import { type DatabaseRow, findDatabase, moveDatabase, notifyUnfinished } from '../model/store.ts'
import type { DatabaseDeps } from '../servers/deps.ts'
import { noSuchDatabase } from './connect.ts'
import { finishDropping, withDatabase } from './finish.ts'

/**
 * Drops the database while the request waits. Its row is marked first: if this process dies meanwhile, the worker drops
 * it.
 */
export function dropRoute(deps: DatabaseDeps): Route {
  return route(dropDatabase, async ({ name, confirm }, { principal }) => {
    const row = await findDatabase(deps.db, principal.org_id, name)
    if (!row) throw noSuchDatabase(name)
    if (confirm !== name) throw new ServiceError('INVALID_REQUEST', 'confirm: must be the name of the database')
    await withDatabase(deps, row, async (guard) => {
      await mark(deps, row, principal)
      await finishDropping(deps, row, guard)
    })
    return { name, dropped: true as const }
  })
}

async function mark({ db, clock, sources }: DatabaseDeps, row: DatabaseRow, principal: Member): Promise<void> {
  await db.tx(async (tx) => {
    // Before the source is looked at: a request that switches one on locks the row of the database, and is waited for here.
    const marked = await moveDatabase(tx, row.id, ['creating', 'ready', 'failed'], 'dropping')
    if (!(await sources.forgetUnlessExposed(tx, row.org_id, row.name))) throw exposed(row.name)
    if (!marked) return
    await notifyUnfinished(tx)
    const { id: target, name } = row
    await auditBy(tx, principal, { action: 'database.dropped', target, detail: { name }, at: clock.now() })
  })
}

function exposed(name: string): ServiceError {
  return new ServiceError(
    'DATABASE_EXPOSED',
    `The database ${name} is exposed to agents. Stop exposing it before you drop it.`,
  )
}

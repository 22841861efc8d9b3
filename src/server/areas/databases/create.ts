import { ServiceError } from '#contract/core/errors.ts'
import { createDatabase } from '#contract/databases.ts'
import { audit } from '#edge/audit.ts'
import { actorOf } from '#edge/credentials/actor.ts'
import { type Member, type Route, route } from '#edge/http/route.ts'
import type { DatabaseDeps } from './deps.ts'
import { finishCreating, taken } from './finish.ts'
import { newDatabase } from './new-database.ts'
import { present } from './present.ts'
import { countDatabases, type DatabaseRow, findDatabase, insertDatabase, moveDatabase } from './store.ts'

/** Writes the row first: from then on a crash leaves a database that can be finished. */
export function createRoute(deps: DatabaseDeps): Route {
  return route(createDatabase, async ({ name }, { principal }) => {
    const row = (await reserve(deps, principal, name)) ?? (await resume(deps, principal.org_id, name))
    try {
      await finishCreating(deps, row)
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'CONFLICT')) {
        await moveDatabase(deps.db, row.id, ['creating'], 'failed')
      }
      throw error
    }
    const warning = await deps.engine.warning?.()
    return { ...present({ ...row, state: 'ready' }, undefined), warnings: warning === undefined ? [] : [warning] }
  })
}

/** Writes the row of a new database. Returns undefined when the name is taken. */
async function reserve(deps: DatabaseDeps, principal: Member, name: string): Promise<DatabaseRow | undefined> {
  const { db, clock, sealer, engine } = deps
  const of = { org_id: principal.org_id, name, created_by: principal.id, created_at: clock.now() }
  const row = await newDatabase(of, sealer)
  return db.tx(async (tx) => {
    if (!(await insertDatabase(tx, row))) return undefined
    if (engine.limit !== undefined && (await countDatabases(tx)) > engine.limit) throw limitReached(engine.limit)
    const entry = { org_id: row.org_id, actor: actorOf(principal), action: 'database.created', target: row.id }
    await audit(tx, { ...entry, detail: { name }, at: row.created_at })
    return row
  })
}

/** Returns the row that an earlier, unfinished attempt left; a finished database of that name is a conflict. */
async function resume({ db }: DatabaseDeps, orgId: string, name: string): Promise<DatabaseRow> {
  const row = await findDatabase(db, orgId, name)
  if (row?.state === 'creating' || row?.state === 'failed') return row
  throw taken(name)
}

function limitReached(limit: number): ServiceError {
  return new ServiceError(
    'DATABASE_LIMIT',
    `The embedded engine holds at most ${limit} databases. Drop one, raise SVC_EMBEDDED_MAX_DATABASES, or use Postgres.`,
  )
}

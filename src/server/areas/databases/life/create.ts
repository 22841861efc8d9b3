import { ServiceError } from '#contract/core/errors.ts'
import { createDatabase } from '#contract/databases.ts'
import { type Member, type Route, route } from '#edge/route/route.ts'
import type { LeaseGuard } from '#lib/work/lease.ts'
import { auditBy } from '#ports/audit.ts'
import { DEFAULT_ORG_LIMITS } from '#ports/database-limits.ts'
import { newDatabase } from '../model/new-database.ts'
import {
  countDatabases,
  countOfOrg,
  type DatabaseRow,
  findDatabase,
  insertDatabase,
  moveDatabase,
  notifyUnfinished,
} from '../model/store.ts'
import { chooseServer } from '../servers/choose-server.ts'
import type { DatabaseDeps } from '../servers/deps.ts'
import { finishCreating, nameTaken, withDatabase } from './finish.ts'
import { present } from './present.ts'

/** Creates the database while the request waits. If this process dies meanwhile, the worker finishes it. */
export function createRoute(deps: DatabaseDeps): Route {
  return route(createDatabase, async ({ name }, { principal }) => {
    const row = (await createNew(deps, principal, name)) ?? (await resume(deps, principal.org_id, name))
    const warning = await deps.servers.engineOf(row).warning?.()
    return { ...present({ ...row, state: 'ready' }, undefined), warnings: warning === undefined ? [] : [warning] }
  })
}

/**
 * Creates a database of a new name. Returns undefined when the name is taken. The lease is taken before the row can be
 * seen, so that the worker leaves it to this request.
 */
async function createNew(deps: DatabaseDeps, principal: Member, name: string): Promise<DatabaseRow | undefined> {
  const server = await chooseServer(deps)
  const of = { org_id: principal.org_id, name, created_by: principal.id, created_at: deps.clock.now(), server }
  const row = await newDatabase(of, deps.sealer)
  return withDatabase(deps, row, async (guard) => {
    if (!(await reserve(deps, principal, row))) return undefined
    await createOrFail(deps, row, guard)
    return row
  })
}

/** Marks a database that cannot be created as failed: the caller is told why, and can ask again. */
async function createOrFail(deps: DatabaseDeps, row: DatabaseRow, guard: LeaseGuard): Promise<void> {
  try {
    await finishCreating(deps, row, guard)
  } catch (error) {
    const isConflict = error instanceof ServiceError && error.code === 'CONFLICT'
    if (!isConflict) await moveDatabase(deps.db, row.id, ['creating'], 'failed')
    throw error
  }
}

/** Writes the row of a new database. Returns false when the name is taken. */
async function reserve(deps: DatabaseDeps, principal: Member, row: DatabaseRow): Promise<boolean> {
  const { db, servers, orgLimits = DEFAULT_ORG_LIMITS } = deps
  return db.tx(async (tx) => {
    const count = await countOfOrg(tx, row.org_id)
    if (!(await insertDatabase(tx, row))) return false
    if (count >= orgLimits.databases) throw orgLimitReached(orgLimits.databases)
    const { limit } = servers.engineOf(row)
    if (limit !== undefined && (await countDatabases(tx)) > limit) throw limitReached(limit)
    const { id: target, name, created_at: at } = row
    await auditBy(tx, principal, { action: 'database.created', target, detail: { name }, at })
    await notifyUnfinished(tx)
    return true
  })
}

/** Finishes what an earlier attempt left. Throws a conflict when the database of that name is finished. */
async function resume(deps: DatabaseDeps, orgId: string, name: string): Promise<DatabaseRow> {
  const row = await findDatabase(deps.db, orgId, name)
  if (row?.state !== 'creating' && row?.state !== 'failed') throw nameTaken(name)
  await withDatabase(deps, row, (guard) => createOrFail(deps, row, guard))
  return row
}

function orgLimitReached(limit: number): ServiceError {
  return new ServiceError(
    'DATABASE_LIMIT',
    `This organization may have at most ${limit} databases. Drop one, or ask the operator to raise SVC_DATABASES_PER_ORG.`,
  )
}

function limitReached(limit: number): ServiceError {
  return new ServiceError(
    'DATABASE_LIMIT',
    `The embedded engine holds at most ${limit} databases. Drop one, raise SVC_EMBEDDED_MAX_DATABASES, or use Postgres.`,
  )
}

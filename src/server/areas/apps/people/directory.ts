import type { HasPart } from '#edge/credentials/access.ts'
import type { Querier } from '#lib/db/db.ts'
import { type Sql, sql } from '#lib/db/sql.ts'
import type { AppDirectory, AppName, HoldApp } from '#ports/apps.ts'
import type { PartHolder } from '#ports/people.ts'
import { findApp } from '../model/store.ts'
import { holdsPart, listHolders } from './store.ts'

/** Answers what other areas and the gates of services ask about apps. It reads the tables alone, so any service can have one. */
type AppRegister = AppDirectory & {
  readonly hasPart: HasPart
  readonly hold: HoldApp
  /** Also people who have left the organization; see `People.partHolders` for those who have not. */
  listHolders(orgId: string, appId: string): Promise<readonly PartHolder[]>
  /** Whether an app of any organization has this host label. */
  hasLabel(hostLabel: string): Promise<boolean>
}

export function createAppDirectory({ db }: { db: Querier }): AppRegister {
  return {
    find: (orgId, aliasOrId) => findName(db, orgId, aliasOrId),
    // Marking an app as being deleted waits for this lock.
    hold: (tx, orgId, aliasOrId) => findName(tx, orgId, aliasOrId, sql`for share`),
    names: (orgId, appIds) => findNames(db, orgId, appIds),
    hasPart: async ({ kind, org_id: orgId, user_id: userId, deployment }, alias, part) => {
      if (orgId === null) return false
      if (kind === 'workload') return part === 'builder' && (await isOwnApp(db, orgId, alias, deployment))
      return userId !== null && holdsPart(db, { orgId, alias, userId, part })
    },
    listHolders: (orgId, appId) => listHolders(db, { orgId, appId }),
    hasLabel: async (hostLabel) => {
      const rows = await db.query(sql`select from apps.apps where host_label = ${hostLabel} and state = 'active'`)
      return rows.length > 0
    },
  }
}

async function isOwnApp(db: Querier, orgId: string, alias: string, deployment: string | undefined): Promise<boolean> {
  const app = await findApp(db, orgId, alias)
  return app?.state === 'active' && app.id === deployment
}

const NO_LOCK: Sql = sql``

/** An alias has no underscore and an id has one, so that no text is both. */
export async function findName(
  db: Querier,
  orgId: string,
  aliasOrId: string,
  lock = NO_LOCK,
): Promise<AppName | undefined> {
  const [app] = await db.query<AppName>(sql`
    select id, alias, name from apps.apps
    where org_id = ${orgId} and state = 'active' and (alias = ${aliasOrId} or id = ${aliasOrId}) ${lock}`)
  return app
}

async function findNames(db: Querier, orgId: string, ids: readonly string[]): Promise<ReadonlyMap<string, AppName>> {
  const apps = await db.query<AppName>(sql`
    select id, alias, name from apps.apps where org_id = ${orgId} and id = any(${ids}::text[])`)
  return new Map(apps.map((app) => [app.id, app]))
}

import type { HasPart } from '#edge/credentials/access.ts'
import type { Querier } from '#lib/db/db.ts'
import type { AppDirectory, HoldApp } from '#ports/apps.ts'
import type { PartHolder } from '#ports/people.ts'
import { findApp, findName, findNames } from '../model/store.ts'
import { holdsPart, listHolders } from './store.ts'

/** Answers what other areas and the gates of services ask about apps. It reads the tables alone, so any service can have one. */
type AppRegister = AppDirectory & {
  readonly hasPart: HasPart
  readonly hold: HoldApp
  /** Also people who have left the organization; see `People.partHolders` for those who have not. */
  listHolders(orgId: string, appId: string): Promise<readonly PartHolder[]>
}

export function createAppDirectory({ db }: { db: Querier }): AppRegister {
  return {
    find: (orgId, aliasOrId) => findName(db, orgId, aliasOrId),
    hold: (tx, orgId, aliasOrId) => findName(tx, orgId, aliasOrId, { isHeld: true }),
    names: (orgId, appIds) => findNames(db, orgId, appIds),
    hasPart: async ({ kind, org_id: orgId, user_id: userId, deployment }, alias, part) => {
      if (orgId === null) return false
      if (kind === 'workload') return part === 'builder' && (await isOwnApp(db, orgId, alias, deployment))
      return userId !== null && holdsPart(db, { orgId, alias, userId, part })
    },
    listHolders: (orgId, appId) => listHolders(db, orgId, appId),
  }
}

async function isOwnApp(db: Querier, orgId: string, alias: string, deployment: string | undefined): Promise<boolean> {
  const app = await findApp(db, orgId, { alias })
  return app?.state === 'active' && app.id === deployment
}

import type { Querier } from '#lib/db/db.ts'
import { DEFAULT_ORG_LIMITS, MIN_OWNER_CONNECTIONS, type OrgLimits } from '#ports/database-limits.ts'
import { type ManagedEngine, OWNER } from '../engine/engine.ts'
import { findShares, recordShare } from '../model/store.ts'

type Sharer = Pick<ManagedEngine, 'limitOwner' | 'connectionSlots'>
type ShareDeps = {
  readonly db: Querier
  readonly servers: { engineOf(on: { server: string }): Sharer }
  readonly orgLimits?: OrgLimits
}

/** Returns how many connections the owner of each of the databases may have. */
export function shareOf(limits: OrgLimits, slots: number, databases: number): number {
  const budget = Math.min(limits.connections, slots - limits.reservedConnections)
  return Math.max(MIN_OWNER_CONNECTIONS, Math.min(OWNER.connections, Math.floor(budget / databases)))
}

const MAX_ROUNDS = 5

/**
 * Gives each owner of the organization's databases on a server an equal share of its connections, and returns the share.
 * Sessions beyond it are ended. It is repeated while the number of databases changes, because another process may have
 * written the share of the former number last.
 */
export async function shareConnections(
  { db, servers, orgLimits = DEFAULT_ORG_LIMITS }: ShareDeps,
  { org_id, server }: { org_id: string; server: string },
): Promise<number> {
  const engine = servers.engineOf({ server })
  const slots = (await engine.connectionSlots?.()) ?? Number.POSITIVE_INFINITY
  let rows = await findShares(db, org_id, server)
  for (let round = 1; ; round++) {
    const share = shareOf(orgLimits, slots, Math.max(1, rows.length))
    for (const { id, owner_role, owner_connections } of rows) {
      const change = { from: owner_connections ?? OWNER.connections, to: share }
      const isSet = await engine.limitOwner?.({ owner_role }, change)
      if (isSet && owner_connections !== share) await recordShare(db, id, share)
    }
    const { length } = rows
    rows = await findShares(db, org_id, server)
    if (rows.length === length || round === MAX_ROUNDS) return share
  }
}

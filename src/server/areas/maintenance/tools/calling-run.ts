import type { Principal } from '#contract/core/principal.ts'
import { invalidToken } from '#edge/credentials/caller.ts'
import type { Querier } from '#lib/db/db.ts'
import { findHeldRun, type HeldRun } from '../claims/held.ts'
import type { RunClaim } from '../claims/token.ts'

/** A run that calls a tool. `fence` is that of its claim. */
export type CallingRun = HeldRun & RunClaim

/** Returns the run that calls. Throws if it does not hold its app any more. */
export async function requireRun(db: Querier, principal: Principal): Promise<CallingRun> {
  const claim = claimOf(principal)
  const run = await findHeldRun(db, claim)
  if (!run) throw invalidToken()
  return { ...run, ...claim }
}

/** The resolver of runs puts the fence behind the id. */
function claimOf({ id }: Principal): RunClaim {
  const [runId, fence] = id.split('.')
  return { id: runId!, fence: Number(fence) }
}

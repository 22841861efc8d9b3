import type { Principal } from '#contract/core/principal.ts'

/** Returns the actor's name for the audit trail: vendor staff by email, everyone else by id. */
export function actorOf(principal: Pick<Principal, 'id' | 'support'>): string {
  return principal.support ? `${principal.support.staff_email} (${principal.id})` : principal.id
}

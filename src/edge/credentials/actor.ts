import type { Principal } from '#contract/core/principal.ts'

/** Who to name in the audit trail: vendor staff by name, everyone else by id. */
export function actorOf(principal: Pick<Principal, 'id' | 'support'>): string {
  return principal.support ? `${principal.support.staff_email} (${principal.id})` : principal.id
}

import type { JsonOperation } from '#contract/core/operation.ts'
import type { Principal } from '#contract/core/principal.ts'

/** Agents may use the operations of their granted scopes; users with their own token all of them. */
export function isGranted(op: JsonOperation, principal: Principal | null): boolean {
  if (principal?.kind !== 'agent') return true
  const scope = typeof op.access === 'string' ? null : op.access.scope
  return scope !== null && [scope].flat().some((one) => principal.scopes.includes(one))
}

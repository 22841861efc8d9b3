import { pathShape } from '#contract/core/operation.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { type AnswerLimiter, createAnswerLimiter } from '#edge/limits/rate-limit.ts'
import type { HostedDeps } from './deps.ts'

/** Finds the failure limit that is counted here for a forwarded request. Undefined when its operation has none. */
type FindLimit = (request: Request) => AnswerLimiter | undefined

/**
 * Applies to forwarded requests the limits of failures that the hosted service counts by address. It sees this whole
 * installation as one address; here they are counted for each end client. Limits by caller count correctly there.
 */
export function createFindLimit(deps: Pick<HostedDeps, 'kv' | 'clock'>): FindLimit {
  const limited = OPERATIONS.flatMap((op) => {
    const rateLimits = (op.rateLimits ?? []).filter(({ per }) => per === 'address')
    const limit = createAnswerLimiter({ ...op, rateLimits }, deps)
    return limit ? [{ method: op.method, shape: pathShape(op.path), limit }] : []
  })
  return ({ method, url }) => {
    const { pathname } = new URL(url)
    return limited.find((op) => op.method === method && op.shape.test(pathname))?.limit
  }
}

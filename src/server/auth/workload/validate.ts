import type { Principal } from '#contract/principal.ts'
import type { Clock } from '#lib/clock.ts'
import type { Querier } from '#lib/db/db.ts'
import type { Log } from '#lib/log.ts'
import type { Metrics } from '#lib/metrics.ts'
import type { ValidateWorkload } from '../validate.ts'
import { type Ask, createAsk } from './ask.ts'
import { expiryOf } from './claims.ts'
import { createCluster } from './cluster.ts'
import { createKeptWorkloads } from './kept.ts'
import { findWorkload, type Workload } from './service-account.ts'
import { orgExists } from './store.ts'
import { reviewToken } from './token-review.ts'
import { createTurns } from './turns.ts'

export type WorkloadOptions = {
  audience: string
  apiServer: string
  credentialsDir: string
  /** For both questions together: a caller waits. */
  timeoutMs?: number
}

/**
 * Reviews under way for one address. Forged tokens cost the API server a review each, and are reviewed however many of
 * them failed before, because a good token behind the same address must keep working. This bounds what they cost.
 */
const MAX_REVIEWS_AT_ONCE = 4

type Deps = { db: Querier; clock: Clock; log: Log; metrics: Pick<Metrics, 'workloadReviewFaults'> }

/** Which deployment a projected service-account token speaks for, as the cluster says. */
export function createWorkloadValidator(deps: Deps, options: WorkloadOptions): ValidateWorkload {
  const { db, clock } = deps
  const { audience, timeoutMs = 2_000 } = options
  const ask = createAsk({ ...deps, cluster: createCluster(options.apiServer, options.credentialsDir) })
  const kept = createKeptWorkloads(clock, audience)
  const inTurn = createTurns(MAX_REVIEWS_AT_ONCE)
  return async (token, clientAddress) => {
    const expiresAt = expiryOf(token, clock.now())
    if (!expiresAt) return undefined
    let workload = kept.get(token)
    if (!workload) {
      const signal = AbortSignal.timeout(timeoutMs)
      workload = await inTurn(clientAddress, signal, () => resolve(ask, { token, audience }, signal))
      if (workload) kept.put(token, workload)
    }
    return workload && (await orgExists(db, workload.orgId)) ? toPrincipal(workload, expiresAt) : undefined
  }
}

async function resolve(ask: Ask, review: { token: string; audience: string }, signal: AbortSignal) {
  const account = await reviewToken(ask, review, signal)
  return account && findWorkload(ask, account, signal)
}

/** No role: what workloads may do is opened to their kind, one operation at a time. */
function toPrincipal({ username, orgId, deployment }: Workload, expiresAt: Date): Principal {
  return {
    kind: 'workload',
    id: username,
    user_id: null,
    org_id: orgId,
    role: null,
    scopes: [],
    deployment,
    expires_at: expiresAt.toISOString(),
  }
}

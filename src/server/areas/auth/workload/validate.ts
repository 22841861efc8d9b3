import type { Principal } from '#contract/core/principal.ts'
import type { Querier } from '#lib/db/db.ts'
import type { Log } from '#lib/log/log.ts'
import type { Metrics } from '#lib/metrics/metrics.ts'
import { addressBlock } from '#lib/net/address/address-block.ts'
import { createClusterFetch } from '#lib/net/cluster-fetch.ts'
import type { Clock } from '#lib/time/clock.ts'
import { findOrg } from '../store/orgs.ts'
import type { ValidateWorkload } from '../validate.ts'
import { type CallApiServer, createApiServerCall } from './api-server-call.ts'
import { expiryOf } from './claims.ts'
import { createFairQueue } from './fair-queue.ts'
import { createReviewCache } from './review-cache.ts'
import { findWorkload, type Workload } from './service-account.ts'
import { reviewToken } from './token-review.ts'

export type WorkloadOptions = {
  audience: string
  apiServer: string
  credentialsDir: string
  /** Maximum duration of the token review and the account look-up together. */
  timeoutMs?: number
}

/**
 * Limits for reviews of tokens that were never accepted, per address block. Each forged token costs the API server a
 * review, however many failed before, because a valid token from the same address must keep working. These limits
 * bound that cost.
 */
const NEW_TOKEN_LIMITS = { perKey: 4, total: 32, maxWaiting: 256 }

/**
 * Limits for reviews of tokens whose last review accepted them, per address block. Forged tokens take none of these.
 */
const ACCEPTED_TOKEN_LIMITS = { perKey: 16, total: 64, maxWaiting: 1024 }

type Deps = { db: Querier; clock: Clock; log: Log; metrics: Pick<Metrics, 'workloadReviewFaults'> }

/** Asks the cluster which deployment a projected service-account token belongs to. */
export function createWorkloadValidator(deps: Deps, options: WorkloadOptions): ValidateWorkload {
  const { db, clock } = deps
  const { audience, timeoutMs = 2_000 } = options
  const fetchCluster = createClusterFetch(options.apiServer, options.credentialsDir)
  const callApiServer = createApiServerCall({ ...deps, fetchCluster })
  const cache = createReviewCache(clock, audience)
  const queues = { new: createFairQueue(NEW_TOKEN_LIMITS), accepted: createFairQueue(ACCEPTED_TOKEN_LIMITS) }
  const review = async (token: string, signal: AbortSignal) => {
    // Another request with the same token may have been reviewed while this one waited.
    const reviewed = cache.get(token)
    if (reviewed) return reviewed
    const workload = await resolve(callApiServer, { token, audience }, signal)
    cache.put(token, workload)
    return workload
  }
  const queueReview = (token: string, clientAddress: string) => {
    const signal = AbortSignal.timeout(timeoutMs)
    const enqueue = cache.wasAccepted(token) ? queues.accepted : queues.new
    return enqueue(addressBlock(clientAddress), signal, () => review(token, signal))
  }
  return async (token, clientAddress) => {
    const expiresAt = expiryOf(token, clock.now())
    if (!expiresAt) return undefined
    const workload = cache.get(token) ?? (await queueReview(token, clientAddress))
    return workload && (await findOrg(db, workload.orgId)) ? toPrincipal(workload, expiresAt) : undefined
  }
}

async function resolve(callApiServer: CallApiServer, review: { token: string; audience: string }, signal: AbortSignal) {
  const account = await reviewToken(callApiServer, review, signal)
  return account && findWorkload(callApiServer, account, signal)
}

/** Without a role, because operations are opened to workloads one at a time, by principal kind. */
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

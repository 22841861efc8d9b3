import type { Principal } from '#contract/core/principal.ts'
import type { Clock } from '#lib/clock.ts'
import type { Querier } from '#lib/db/db.ts'
import type { Log } from '#lib/log.ts'
import type { Metrics } from '#lib/metrics.ts'
import { addressBlock } from '#lib/net/address-block.ts'
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
 * Reviews of tokens that were never good here, by address block. Forged tokens cost the API server a review each, and
 * are reviewed however many of them failed before, because a good token behind the same address must keep working.
 * This bounds what they cost.
 */
const NEW_TOKENS = { perKey: 4, total: 32, maxWaiting: 256 }

/** Reviews of tokens whose last review was good, by address block. No forged token takes one of these slots. */
const KNOWN_TOKENS = { perKey: 16, total: 64, maxWaiting: 1024 }

type Deps = { db: Querier; clock: Clock; log: Log; metrics: Pick<Metrics, 'workloadReviewFaults'> }

/** Which deployment a projected service-account token speaks for, as the cluster says. */
export function createWorkloadValidator(deps: Deps, options: WorkloadOptions): ValidateWorkload {
  const { db, clock } = deps
  const { audience, timeoutMs = 2_000 } = options
  const ask = createAsk({ ...deps, cluster: createCluster(options.apiServer, options.credentialsDir) })
  const kept = createKeptWorkloads(clock, audience)
  const [inTurn, inTurnOfKnown] = [createTurns(NEW_TOKENS), createTurns(KNOWN_TOKENS)]
  const review = async (token: string, signal: AbortSignal) => {
    // Another request with the same token may have had its review while this one waited.
    const reviewed = kept.get(token)
    if (reviewed) return reviewed
    const workload = await resolve(ask, { token, audience }, signal)
    kept.put(token, workload)
    return workload
  }
  const reviewInTurn = (token: string, clientAddress: string) => {
    const signal = AbortSignal.timeout(timeoutMs)
    const take = kept.isKnown(token) ? inTurnOfKnown : inTurn
    return take(addressBlock(clientAddress), signal, () => review(token, signal))
  }
  return async (token, clientAddress) => {
    const expiresAt = expiryOf(token, clock.now())
    if (!expiresAt) return undefined
    const workload = kept.get(token) ?? (await reviewInTurn(token, clientAddress))
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

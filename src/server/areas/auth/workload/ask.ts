import { ServiceError } from '#contract/core/errors.ts'
import type { Log } from '#lib/log.ts'
import type { Metrics } from '#lib/metrics.ts'
import type { Cluster, ClusterRequest } from './cluster.ts'

/** `refusal` is the status by which the API server says no to the token, not to us. */
export type Question = ClusterRequest & { refusal: 400 | 404 }
/** The answer's body; undefined when it is no. Throws UNAVAILABLE when there is no answer to go by. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<unknown>

const RETRY_AFTER_SECONDS = 5
const PERMISSION = 'auth-service.rbac.create'

type Deps = { cluster: Cluster; log: Log; metrics: Pick<Metrics, 'workloadReviewFaults'> }

export function createAsk({ cluster, log, metrics }: Deps): Ask {
  const count = (reason: string) => metrics.workloadReviewFaults.inc({ reason })
  return async (question, signal) => {
    try {
      const response = await cluster(question, signal)
      const text = await response.text()
      if (response.ok) return JSON.parse(text)
      if (response.status === question.refusal) return undefined
      if (response.status !== 403) throw new Error(`the API server answered ${response.status} to ${question.path}`)
    } catch (cause) {
      count('api-server')
      throw unavailable(cause)
    }
    // Callers are told nothing of how we are set up; whoever runs us must hear it.
    count(PERMISSION)
    log.error({ path: question.path }, `workload tokens are refused: we lack permissions, set ${PERMISSION}=true`)
    return undefined
  }
}

function unavailable(cause: unknown): ServiceError {
  const detail = 'workload tokens cannot be checked now; try again'
  return new ServiceError('UNAVAILABLE', detail, { cause, retryAfterSeconds: RETRY_AFTER_SECONDS })
}

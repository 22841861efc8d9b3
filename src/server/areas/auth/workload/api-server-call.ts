import { ServiceError } from '#contract/core/errors.ts'
import type { Log } from '#lib/log/log.ts'
import type { Metrics } from '#lib/metrics/metrics.ts'
import type { ClusterFetch, ClusterRequest } from '#lib/net/cluster-fetch.ts'

/** `refusal` is the status with which the API server refuses the token in question, rather than our own request. */
type ApiServerRequest = ClusterRequest & { refusal: 400 | 404 }
/** Returns the parsed body, or undefined if the API server refused. Throws UNAVAILABLE if it gave no usable answer. */
export type CallApiServer = (request: ApiServerRequest, signal: AbortSignal) => Promise<unknown>

const RETRY_AFTER_SECONDS = 5
const PERMISSION = 'auth-service.rbac.create'

type Deps = { fetchCluster: ClusterFetch; log: Log; metrics: Pick<Metrics, 'workloadReviewFaults'> }

/** Calls the Kubernetes API server. Counts each fault, and logs when a permission of this process is missing. */
export function createApiServerCall({ fetchCluster, log, metrics }: Deps): CallApiServer {
  const count = (reason: string) => metrics.workloadReviewFaults.inc({ reason })
  return async (request, signal) => {
    try {
      const response = await fetchCluster(request, signal)
      const text = await response.text()
      if (response.ok) return JSON.parse(text)
      if (response.status === request.refusal) return undefined
      if (response.status !== 403) throw new Error(`the API server answered ${response.status} to ${request.path}`)
    } catch (cause) {
      count('api-server')
      throw unavailable(cause)
    }
    // The answer does not mention our missing permission, because callers need not know our setup; the log does.
    count(PERMISSION)
    log.error({ path: request.path }, `workload tokens are refused: we lack permissions, set ${PERMISSION}=true`)
    return undefined
  }
}

function unavailable(cause: unknown): ServiceError {
  const detail = 'Workload tokens cannot be checked at the moment. Try again.'
  return new ServiceError('UNAVAILABLE', detail, { cause, retryAfterSeconds: RETRY_AFTER_SECONDS })
}

import { ServiceError } from '#contract/core/errors.ts'
import { problemResponse } from '#edge/format/problem.ts'
import type { RefusalShapeOf } from '#edge/format/refusal-shape.ts'
import type { ServiceFetch } from '#edge/route/route.ts'
import { splitUrl } from '#edge/route/router.ts'

/**
 * Answers 503 to what arrives between the opening of the port and the building of the services. The refusal has the
 * shape that clients of the path understand: without the `error` of OAuth, an agent that refreshes its token meanwhile
 * makes its person sign in again.
 */
export function createLateDoor(refusalShapeOf: RefusalShapeOf) {
  let current: ServiceFetch = async ({ url }, { requestId }) => {
    const refusal = new ServiceError('UNAVAILABLE', 'The server is starting. Try again.', { retryAfterSeconds: 1 })
    return problemResponse(refusal, 'json', requestId, {}, refusalShapeOf(splitUrl(url).path))
  }
  const fetch: ServiceFetch = (request, info) => current(request, info)
  return {
    fetch,
    /** From now on requests go to the services. */
    open: (services: ServiceFetch) => {
      current = services
    },
  }
}

import { ServiceError } from '#contract/core/errors.ts'
import { problemResponse } from '#edge/format/problem.ts'
import type { ServiceFetch } from '#edge/route/route.ts'

/** Answers 503 to what arrives between the opening of the port and the building of the services. */
export function createLateDoor() {
  let current: ServiceFetch = async (_, { requestId }) => {
    const refusal = new ServiceError('UNAVAILABLE', 'The server is starting. Try again.', { retryAfterSeconds: 1 })
    return problemResponse(refusal, 'json', requestId)
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

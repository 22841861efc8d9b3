import { ServiceError } from '#contract/core/errors.ts'
import { problemResponse } from '#edge/http/problem.ts'
import type { ServiceFetch } from '#edge/http/route.ts'

type LateDoor = {
  readonly fetch: ServiceFetch
  /** From now on requests go to the services. */
  open(services: ServiceFetch): void
}

/** Answers 503 to what arrives between the opening of the port and the building of the services. */
export function createLateDoor(): LateDoor {
  let current: ServiceFetch = async (_, { requestId }) => {
    const refusal = new ServiceError('UNAVAILABLE', 'The server is starting. Try again.', { retryAfterSeconds: 1 })
    return problemResponse(refusal, 'json', requestId)
  }
  return {
    fetch: (request, info) => current(request, info),
    open: (services) => {
      current = services
    },
  }
}

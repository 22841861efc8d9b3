import { ServiceError } from '#contract/core/errors.ts'
import type { Operation } from '#contract/core/operation.ts'
import type { Principal } from '#contract/core/principal.ts'

/** Leaves the request's place. Further calls do nothing. */
type Leave = () => void
/** Takes a place for a request. Throws RATE_LIMITED if the person or the organization has none left. */
export type Enter = (principal: Principal | null) => Leave

/** How long a client waits for a place. A stream may last for hours, another request ends within seconds. */
const STREAM_RETRY_SECONDS = 10
const RETRY_SECONDS = 1

/** Counts the requests that run, by name of the limit and subject. One for all operations of a service, in one process. */
export type RunningRequests = Map<string, number>

/** Returns undefined if the operation states no limit, or if nobody is known to count the requests for. */
export function createConcurrencyLimit(op: Operation, running: RunningRequests): Enter | undefined {
  if (!op.concurrency) return undefined
  return createPlaces(op.concurrency, op.kind === 'stream' ? STREAM_RETRY_SECONDS : RETRY_SECONDS, running)
}

export function createPlaces(
  { name, perPerson, perOrg }: NonNullable<Operation['concurrency']>,
  retryAfterSeconds: number,
  running: RunningRequests,
): Enter {
  return (principal) => {
    if (!principal) return () => {}
    const person = `${name} person ${principal.user_id ?? principal.id}`
    const org = `${name} org ${principal.org_id ?? principal.id}`
    if ((running.get(person) ?? 0) >= perPerson) throw tooMany(perPerson, 'one person', retryAfterSeconds)
    if ((running.get(org) ?? 0) >= perOrg) throw tooMany(perOrg, 'the organization', retryAfterSeconds)
    add(running, person, 1)
    add(running, org, 1)
    let hasLeft = false
    return () => {
      if (hasLeft) return
      hasLeft = true
      add(running, person, -1)
      add(running, org, -1)
    }
  }
}

function add(running: RunningRequests, key: string, change: number): void {
  const count = (running.get(key) ?? 0) + change
  if (count === 0) running.delete(key)
  else running.set(key, count)
}

function tooMany(limit: number, whose: string, retryAfterSeconds: number): ServiceError {
  const detail = `Limit reached: ${limit} of these requests at once for ${whose}. End one of them, or try again when one has ended.`
  return new ServiceError('RATE_LIMITED', detail, { retryAfterSeconds })
}

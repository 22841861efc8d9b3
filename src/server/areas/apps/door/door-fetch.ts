import type { Hops } from '#edge/credentials/hop.ts'
import type { ServiceFetch } from '#edge/http/route.ts'
import type { AnswerAppRequest } from '#ports/apps.ts'
import { readForwardedApp } from './forwarding.ts'
import { appLabelOf } from './host-name.ts'

type Deps = {
  readonly domain: string
  readonly isSecure: boolean
  readonly hops: Hops
  readonly answer: AnswerAppRequest
}

/** Answers everything that arrives at the port of apps, by its host name or as the door of another process signed it. */
export function createDoorFetch({ domain, isSecure, hops, answer }: Deps): ServiceFetch {
  return async (request, { clientAddress }) => {
    const forwarded = readForwardedApp(request, hops)
    if (forwarded) return answer(forwarded)
    const host = request.headers.get('host') ?? ''
    // A host name outside the domain belongs to no app.
    return answer({ label: appLabelOf(host, domain) ?? '', request, host, isSecure, clientAddress })
  }
}

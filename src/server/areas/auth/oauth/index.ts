import type { Route } from '#edge/http/route.ts'
import { protocolRoutes } from './authorize.ts'
import { consentRoutes } from './consent.ts'
import type { OAuthDeps } from './deps.ts'
import { discoveryRoute } from './discovery.ts'
import { createLane } from './lane.ts'
import { type AuthorizationServer, createAuthorizationServer } from './provider.ts'
import { registerRoute } from './register.ts'

export { createAssertionValidator, type ValidateAssertion } from './agent-principal.ts'
export { agentRoutes } from './agents.ts'
export type { OAuthDeps, OAuthOptions } from './deps.ts'

/** More than a burst of honest agents; each takes milliseconds. */
const LANE = { maxWaiting: 128, maxWaitMs: 5000 }

export function oauthRoutes(deps: OAuthDeps): Route[] {
  let made: AuthorizationServer | undefined
  // Made at the first request: only then is our own address known.
  const server = () => {
    made ??= createAuthorizationServer(deps)
    return made
  }
  // Two lanes, because strangers can fill the one of registrations and must not delay people who approve.
  return [
    discoveryRoute(deps),
    registerRoute(deps, createLane(LANE)),
    ...protocolRoutes(deps, server),
    ...consentRoutes(deps, server, createLane(LANE)),
  ]
}

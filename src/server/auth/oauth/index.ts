import type { Route } from '#edge/route.ts'
import { protocolRoutes } from './authorize.ts'
import { consentRoutes } from './consent.ts'
import type { OAuthDeps } from './deps.ts'
import { discoveryRoute } from './discovery.ts'
import { type AuthorizationServer, createAuthorizationServer } from './provider.ts'
import { registerRoute } from './register.ts'

export { createAssertionValidator, type ValidateAssertion } from './agent-principal.ts'
export { agentRoutes } from './agents.ts'
export type { OAuthDeps, OAuthOptions } from './deps.ts'

export function oauthRoutes(deps: OAuthDeps): Route[] {
  let made: AuthorizationServer | undefined
  // Made at the first request: only then is our own address known.
  const server = () => {
    made ??= createAuthorizationServer(deps)
    return made
  }
  return [discoveryRoute(deps), registerRoute(deps), ...protocolRoutes(deps, server), ...consentRoutes(deps, server)]
}

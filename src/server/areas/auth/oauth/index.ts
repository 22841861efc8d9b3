import type { Route } from '#edge/route/route.ts'
import { protocolRoutes } from './authorize.ts'
import { registerRoute } from './clients/register.ts'
import { createAssertionVerifier } from './company/issuer-keys.ts'
import { companySettingsRoutes } from './company/settings.ts'
import { consentRoutes } from './consent/consent.ts'
import type { OAuthDeps } from './deps.ts'
import { discoveryRoute } from './discovery.ts'
import type { AuthorizationServer } from './provider.ts'
import { createSerialQueue } from './serial-queue.ts'

export { createAssertionValidator, type ValidateAssertion } from './agent-principal.ts'
export { agentRoutes } from './agents.ts'
export type { OAuthDeps, OAuthOptions } from './deps.ts'

/** Enough for a burst of honest agents, because each registration or approval takes milliseconds. */
const QUEUE_LIMITS = { maxWaiting: 128, maxWaitMs: 5000 }

const loadProvider = () => import('./provider.ts')

/** Loads the library before the first request needs it. */
export async function warmOAuth(): Promise<void> {
  await loadProvider()
}

export function oauthRoutes(deps: OAuthDeps): Route[] {
  let created: Promise<AuthorizationServer> | undefined
  // Created at the first request, because our own address is known only then. Loaded then too: the library is a quarter
  // of the code that a start would load.
  const server = () => {
    created ??= loadProvider().then(({ createAuthorizationServer }) => createAuthorizationServer(deps))
    return created
  }
  const issuers = new Map(
    deps.companyIssuers.map((issuer) => [issuer, createAssertionVerifier({ ...deps, issuer })] as const),
  )
  // Two queues, because strangers can fill that of registrations and must not delay users who approve.
  return [
    discoveryRoute(deps),
    registerRoute(deps, createSerialQueue(QUEUE_LIMITS)),
    ...protocolRoutes(deps, issuers, server),
    ...companySettingsRoutes(deps, issuers),
    ...consentRoutes(deps, server, createSerialQueue(QUEUE_LIMITS)),
  ]
}

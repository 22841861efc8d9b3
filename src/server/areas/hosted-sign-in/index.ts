import type { Route, ServiceFetch } from '#edge/route/route.ts'
import { callbackRoute } from './callback.ts'
import type { HostedDeps } from './deps.ts'
import { withoutCookies } from './forward.ts'
import { loginRoute } from './login.ts'
import { sessionRoutes } from './session.ts'

export type HostedSignIn = {
  readonly routes: readonly Route[]
  /** Returns the way to the hosted service, or undefined for paths that this gateway answers itself or not at all. */
  forward(path: string): ServiceFetch | undefined
}

/**
 * Signs people in at a hosted auth service. Its OAuth pages and metadata are not passed on, because it issues agents
 * tokens for its own endpoints, not for ours.
 */
export function createHostedSignIn(deps: HostedDeps): HostedSignIn {
  const auth = withoutCookies(deps)
  return {
    routes: [loginRoute(deps), callbackRoute(deps), ...sessionRoutes(deps)],
    forward: (path) => (/^\/(?:auth|oauth|\.well-known)\//.test(path) ? undefined : auth),
  }
}

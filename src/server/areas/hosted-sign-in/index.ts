import type { Route, ServiceFetch } from '#edge/http/route.ts'
import { callbackRoute } from './callback.ts'
import type { HostedDeps } from './deps.ts'
import { withoutCookies } from './forward.ts'
import { loginRoute } from './login.ts'
import { sessionRoutes } from './session.ts'

export type HostedSignIn = {
  readonly routes: readonly Route[]
  /** The way to the hosted service; undefined for pages that this gateway has in its place, and for agents' way in. */
  forward(path: string): ServiceFetch | undefined
}

/** A hosted service lets agents in to its own endpoints, not to ours: what it says of that would lead them astray. */
export function createHostedSignIn(deps: HostedDeps): HostedSignIn {
  const auth = withoutCookies(deps)
  return {
    routes: [loginRoute(deps), callbackRoute(deps), ...sessionRoutes(deps)],
    forward: (path) => (/^\/(?:auth|oauth|\.well-known)\//.test(path) ? undefined : auth),
  }
}

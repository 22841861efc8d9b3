import type { Route, ServiceFetch } from '#edge/route.ts'
import { callbackRoute } from './callback.ts'
import type { HostedDeps } from './deps.ts'
import { withoutCookies } from './forward.ts'
import { loginRoute } from './login.ts'
import { sessionRoutes } from './session.ts'

export type HostedSignIn = {
  readonly routes: readonly Route[]
  /** The way to the hosted service; undefined for the pages that this gateway has in its place. */
  forward(path: string): ServiceFetch | undefined
}

export function createHostedSignIn(deps: HostedDeps): HostedSignIn {
  const auth = withoutCookies(deps)
  return {
    routes: [loginRoute(deps), callbackRoute(deps), ...sessionRoutes(deps)],
    forward: (path) => (path.startsWith('/auth/') ? undefined : auth),
  }
}

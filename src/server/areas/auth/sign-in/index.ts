import type { Cookies } from '#edge/credentials/cookies.ts'
import type { Route } from '#edge/http/route.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { Log } from '#lib/log.ts'
import type { AuthDeps } from '../model/deps.ts'
import { callbackRoute } from './callback.ts'
import { exchangeRoute } from './codes.ts'
import { invitationPageRoutes } from './invitation.ts'
import { localRoutes } from './local.ts'
import type { LocalCode } from './local-code.ts'
import { loginRoute, methodsRoute } from './login.ts'
import { logoutRoute } from './logout.ts'
import type { Outgoing } from './oidc.ts'
import { ownSessionRoutes } from './own-sessions.ts'
import { createProviders, type ProviderSettings } from './providers.ts'
import { sessionTokenRoute } from './session-token.ts'
import { startRoute } from './start.ts'
import { switchOrgRoute } from './switch-org.ts'

export type SignInOptions = {
  sealer: Sealer
  log: Log
  outgoing: Outgoing
  cookies: Cookies
  settings: ProviderSettings & {
    redirectBaseUrl: string | undefined
    allowedRedirectBaseUrls: readonly string[]
  }
  local: LocalCode | undefined
}

export function signInRoutes(auth: AuthDeps, { settings, outgoing, ...rest }: SignInOptions): Route[] {
  const { redirectBaseUrl, allowedRedirectBaseUrls } = settings
  const providers = createProviders(settings, { outgoing, clock: auth.clock })
  const deps = { ...auth, ...rest, providers, redirectBaseUrl, allowedRedirectBaseUrls }
  return [
    loginRoute(deps),
    methodsRoute(deps),
    startRoute(deps),
    callbackRoute(deps),
    logoutRoute(deps),
    ...localRoutes(deps),
    ...invitationPageRoutes(deps),
    switchOrgRoute(deps),
    sessionTokenRoute(deps),
    ...ownSessionRoutes(deps),
    exchangeRoute(deps),
  ]
}

import type { Cookies } from '#edge/credentials/cookies.ts'
import type { Route } from '#edge/route/route.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { KeyValueStore } from '#lib/kv/kv.ts'
import type { Log } from '#lib/log/log.ts'
import type { AuthDeps } from '../model/deps.ts'
import { callbackRoute } from './callback.ts'
import { exchangeRoute } from './codes.ts'
import { invitationPageRoutes } from './invitation/invitation.ts'
import { localRoutes } from './local/local.ts'
import type { LocalCode } from './local/local-code.ts'
import { loginRoute, methodsRoute } from './login.ts'
import { askLinkRoutes } from './mailed-link/ask.ts'
import type { MailFiles } from './mailed-link/mail-files.ts'
import { redeemLinkRoutes } from './mailed-link/redeem.ts'
import type { Outgoing } from './providers/oidc.ts'
import { createProviders, type ProviderSettings } from './providers/providers.ts'
import { ownSessionRoutes } from './session/own-sessions.ts'
import { switchOrgRoute } from './session/switch-org.ts'
import { startRoute } from './start.ts'

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
  mailFiles: MailFiles | undefined
}

export function signInRoutes(
  auth: AuthDeps & { kv: KeyValueStore },
  { settings, outgoing, ...rest }: SignInOptions,
): Route[] {
  const { redirectBaseUrl, allowedRedirectBaseUrls } = settings
  const providers = createProviders(settings, { outgoing, clock: auth.clock })
  const deps = { ...auth, ...rest, providers, redirectBaseUrl, allowedRedirectBaseUrls }
  return [
    loginRoute(deps),
    methodsRoute(deps),
    startRoute(deps),
    callbackRoute(deps),
    ...localRoutes(deps),
    ...askLinkRoutes(deps),
    ...redeemLinkRoutes(deps),
    ...invitationPageRoutes(deps),
    switchOrgRoute(deps),
    ...ownSessionRoutes(deps),
    exchangeRoute(deps),
  ]
}

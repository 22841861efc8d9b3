import { signInStart } from '#contract/auth/sign-in.ts'
import { isSameOrigin } from '#edge/credentials/csrf.ts'
import { seeOther } from '#edge/pages/page.ts'
import { isAllowedReturn } from '#edge/route/return-to.ts'
import { type Route, route } from '#edge/route/route.ts'
import { isOtherLoopbackName } from '#lib/net/address/loopback.ts'
import type { SignInDeps } from './deps.ts'
import { saveFlow } from './flow.ts'
import { asPage } from './pages.ts'
import { askProvider, callbackUri, findProvider } from './providers/provider-calls.ts'
import { SignInRefused } from './refusals.ts'
import { callerSession } from './session/caller-session.ts'

export function startRoute(deps: SignInDeps): Route {
  return route(
    signInStart,
    asPage(async ({ provider: name, return_to, link }, { request }) => {
      const provider = findProvider(deps, name)
      const moved = atPublicAddress(deps, request)
      if (moved !== undefined) return seeOther(moved)
      const returnTo = checkReturnTo(deps, return_to)
      const linkUserId = link === '1' ? await findLinkingUser(deps, request) : null
      const authorization = await askProvider(deps, provider, () =>
        provider.client.begin(callbackUri(deps, provider), linkUserId !== null),
      )
      const cookie = await saveFlow(deps, request, { provider, authorization, returnTo, linkUserId })
      return seeOther(authorization.url, [cookie])
    }),
  )
}

/**
 * Returns where to begin instead if the browser came by another name of this machine. The provider sends it back to the
 * public address, where a cookie of the other name would be missing. Other hosts can be names that a proxy chose, to
 * which a redirect would never end.
 */
function atPublicAddress({ redirectBaseUrl }: SignInDeps, { url }: Request): string | undefined {
  if (redirectBaseUrl === undefined || !isOtherLoopbackName(url, redirectBaseUrl)) return undefined
  const { pathname, search } = new URL(url)
  return new URL(pathname + search, redirectBaseUrl).href
}

/**
 * Returns the user who links another identity. Only our own pages may start this, otherwise another site could link its
 * own.
 */
async function findLinkingUser(deps: SignInDeps, request: Request): Promise<string> {
  const session = isSameOrigin(request, deps.redirectBaseUrl) ? await callerSession(deps, request) : undefined
  if (!session?.byCookie) throw new SignInRefused('link_needs_session')
  return session.user_id
}

/**
 * Returns where to send the browser after sign-in, `/` by default. Throws SignInRefused for an address that is not
 * allowed.
 */
export function checkReturnTo(
  { allowedRedirectBaseUrls }: Pick<SignInDeps, 'allowedRedirectBaseUrls'>,
  returnTo: string | undefined,
): string {
  if (returnTo === undefined || returnTo === '') return '/'
  if (!isAllowedReturn(returnTo, allowedRedirectBaseUrls)) throw new SignInRefused('return_not_allowed')
  return returnTo
}

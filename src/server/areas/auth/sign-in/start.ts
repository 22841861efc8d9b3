import { signInStart } from '#contract/auth/sign-in.ts'
import { isSameOrigin } from '#edge/credentials/csrf.ts'
import { isAllowedReturn } from '#edge/http/return-to.ts'
import { type Route, route } from '#edge/http/route.ts'
import { seeOther } from '#edge/pages/page.ts'
import { callerSession } from './caller-session.ts'
import type { SignInDeps } from './deps.ts'
import { keepFlow } from './flow.ts'
import { asPage } from './pages.ts'
import { askProvider, callbackUri, findProvider } from './provider-calls.ts'
import { SignInRefused } from './refusals.ts'

export function startRoute(deps: SignInDeps): Route {
  return route(
    signInStart,
    asPage(async ({ provider: name, return_to, link }, { request }) => {
      const provider = findProvider(deps, name)
      const returnTo = checkReturn(deps, return_to)
      const linkUserId = link === '1' ? await personLinking(deps, request) : null
      const departure = await askProvider(deps, provider, () => provider.client.begin(callbackUri(deps, provider)))
      const cookie = await keepFlow(deps, request, { provider, departure, returnTo, linkUserId })
      return seeOther(departure.url, [cookie])
    }),
  )
}

/** From our own pages only: another site could have had them signed in at the provider as somebody else. */
async function personLinking(deps: SignInDeps, request: Request): Promise<string> {
  const session = isSameOrigin(request, deps.redirectBaseUrl) ? await callerSession(deps, request) : undefined
  if (!session?.byCookie) throw new SignInRefused('link_needs_session')
  return session.user_id
}

export function checkReturn(
  { allowedRedirectBaseUrls }: Pick<SignInDeps, 'allowedRedirectBaseUrls'>,
  asked: string | undefined,
): string {
  if (asked === undefined || asked === '') return '/'
  if (!isAllowedReturn(asked, allowedRedirectBaseUrls)) throw new SignInRefused('return_not_allowed')
  return asked
}

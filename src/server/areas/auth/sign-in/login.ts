import { signInMethods, signInPage } from '#contract/auth/sign-in.ts'
import { seeOther } from '#edge/pages/page.ts'
import { isAllowedRedirect } from '#edge/route/return-to.ts'
import { type Route, route } from '#edge/route/route.ts'
import { issueCode } from './codes.ts'
import type { SignInDeps } from './deps.ts'
import { isCalledLocally } from './local/local.ts'
import { mailedLinkUrl } from './mailed-link/mailed-link-url.ts'
import { hasMailedLinks } from './mailed-link/require-mailed-links.ts'
import { asPage, methodsPage } from './pages.ts'
import { SignInRefused } from './refusals.ts'
import { callerSession } from './session/caller-session.ts'
import { checkReturnTo } from './start.ts'

export function loginRoute(deps: SignInDeps): Route {
  return route(
    signInPage,
    asPage(async ({ return_to, redirect, state, signed_out }, { request }) => {
      if (redirect !== undefined || state !== undefined) return signInForGateway(deps, request, redirect, state)
      return chooseMethod(deps, request, { returnTo: checkReturnTo(deps, return_to), signedOut: signed_out === '1' })
    }),
  )
}

export function methodsRoute(deps: SignInDeps): Route {
  return route(signInMethods, async () => ({
    providers: deps.providers.map(({ name, label }) => ({ name, label })),
    local: deps.local !== undefined,
    mailed_link: hasMailedLinks(deps),
  }))
}

/**
 * Redirects at once if there is only one method, except after signing out, which would sign the user in again. On the
 * machine of the server that is the local code, whose page offers the mailed link too.
 */
function chooseMethod(
  deps: SignInDeps,
  request: Request,
  { returnTo, signedOut }: { returnTo: string; signedOut: boolean },
): Response {
  const { providers } = deps
  const local = deps.local && isCalledLocally(request)
  const query = returnTo === '/' ? '' : `?${new URLSearchParams({ return_to: returnTo }).toString()}`
  const methods = [
    ...providers.map(({ name, label }) => ({ label: `Sign in with ${label}`, href: `/auth/${name}/start${query}` })),
    ...(local ? [{ label: 'Sign in on this machine', href: `/auth/local${query}` }] : []),
    ...(hasMailedLinks(deps) ? [{ label: 'Sign in by mail', href: mailedLinkUrl(deps, returnTo) }] : []),
  ]
  const [first, ...others] = methods
  if (first && (others.length === 0 || local) && !signedOut) return seeOther(first.href)
  return methodsPage(methods, signedOut)
}

/** Serves a gateway at another address: sends a signed-in user back with a code, others to sign in and back here. */
async function signInForGateway(
  deps: SignInDeps,
  request: Request,
  redirect: string | undefined,
  state: string | undefined,
): Promise<Response> {
  if (redirect === undefined || state === undefined) throw new SignInRefused('hosted_incomplete')
  if (!isAllowedRedirect(redirect, deps.allowedRedirectBaseUrls)) throw new SignInRefused('return_not_allowed')
  const session = await callerSession(deps, request)
  if (!session?.byCookie) {
    const returnTo = `/auth/login?${new URLSearchParams({ redirect, state }).toString()}`
    return chooseMethod(deps, request, { returnTo, signedOut: false })
  }
  const code = await issueCode(deps, session.id, state)
  return seeOther(`${redirect}?${new URLSearchParams({ code, state }).toString()}`)
}

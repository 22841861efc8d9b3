import { signInMethods, signInPage } from '#contract/auth/sign-in.ts'
import { isAllowedRedirect } from '#edge/http/return-to.ts'
import { type Route, route } from '#edge/http/route.ts'
import { seeOther } from '#edge/pages/page.ts'
import { callerSession } from './caller-session.ts'
import { issueCode } from './codes.ts'
import type { SignInDeps } from './deps.ts'
import { asPage, methodsPage } from './pages.ts'
import { SignInRefused } from './refusals.ts'
import { checkReturnTo } from './start.ts'

export function loginRoute(deps: SignInDeps): Route {
  return route(
    signInPage,
    asPage(async ({ return_to, redirect, state, signed_out }, { request }) => {
      if (redirect !== undefined || state !== undefined) return signInForGateway(deps, request, redirect, state)
      return chooseMethod(deps, checkReturnTo(deps, return_to), signed_out === '1')
    }),
  )
}

export function methodsRoute({ providers, local }: SignInDeps): Route {
  return route(signInMethods, async () => ({
    providers: providers.map(({ name, label }) => ({ name, label })),
    local: local !== undefined,
  }))
}

/** Redirects at once if there is only one method, except after signing out, which would sign the user in again. */
function chooseMethod({ providers, local }: SignInDeps, returnTo: string, signedOut: boolean): Response {
  const query = returnTo === '/' ? '' : `?${new URLSearchParams({ return_to: returnTo }).toString()}`
  const methods = [
    ...providers.map(({ name, label }) => ({ label: `Sign in with ${label}`, href: `/auth/${name}/start${query}` })),
    ...(local ? [{ label: 'Sign in on this machine', href: `/auth/local${query}` }] : []),
  ]
  const [only, ...others] = methods
  if (only && others.length === 0 && !signedOut) return seeOther(only.href)
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
    return chooseMethod(deps, `/auth/login?${new URLSearchParams({ redirect, state }).toString()}`, false)
  }
  const code = await issueCode(deps, session.id, state)
  return seeOther(`${redirect}?${new URLSearchParams({ code, state }).toString()}`)
}

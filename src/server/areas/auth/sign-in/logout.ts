import { signOut } from '#contract/auth/sign-in.ts'
import { calledByCookie, invalidToken } from '#edge/credentials/caller.ts'
import { refuseCrossSite } from '#edge/credentials/csrf.ts'
import { type Route, route } from '#edge/http/route.ts'
import { seeOther } from '#edge/pages/page.ts'
import { endSession } from '../sessions/sessions.ts'
import { callerSession } from './caller-session.ts'
import type { SignInDeps } from './deps.ts'

/** Ends the session. Public, so that a browser that is signed out already gets the same answer. */
export function logoutRoute(deps: SignInDeps): Route {
  return route(signOut, async (_, { request }) => {
    if (calledByCookie(request)) refuseCrossSite(request, deps.redirectBaseUrl)
    const session = await callerSession(deps, request)
    if (!session && !calledByCookie(request)) throw invalidToken()
    if (session) await endSession(deps, session.id)
    const cookies = [deps.cookies.set('session', '', 0)]
    if (request.headers.get('accept')?.includes('text/html')) return seeOther('/auth/login?signed_out=1', cookies)
    return new Response(null, { status: 204, headers: [['set-cookie', cookies[0]!]] })
  })
}

import { hostedCallback } from '#contract/auth/sign-in.ts'
import { readCookie } from '#edge/credentials/cookies.ts'
import { toServiceError } from '#edge/format/problem.ts'
import { seeOther } from '#edge/pages/page.ts'
import { type Route, route } from '#edge/route/route.ts'
import { endSession, exchange } from './auth-calls.ts'
import { type HostedDeps, SESSION_COOKIE_SECONDS } from './deps.ts'
import { findFlow } from './flow.ts'
import { refusalPage } from './pages.ts'

/** Finishes a sign-in: exchanges the code for a session token, so that the token itself is never in a URL. */
export function callbackRoute(deps: HostedDeps): Route {
  const { cookies } = deps
  const endFlow = cookies.set('flow', '', 0)
  return route(hostedCallback, async ({ code, state }, context) => {
    const flow = state === undefined ? undefined : findFlow(deps, context.request, state)
    if (!flow || code === undefined) return refusalPage('stale')
    try {
      const token = await exchange(deps, context, code, flow.state)
      const earlier = readCookie(context.request, cookies.session)
      // The new cookie replaces the earlier session's anyway, so a failure to end that session stops nobody.
      if (earlier !== undefined) await endSession(deps, context, earlier).catch(() => undefined)
      return seeOther(flow.return_to, [cookies.set('session', token, SESSION_COOKIE_SECONDS), endFlow])
    } catch (error) {
      const refusal = toServiceError(error)
      if (refusal.code === 'INTERNAL') throw error
      return refusalPage(refusal.status >= 500 ? 'unreachable' : 'stale', [endFlow])
    }
  })
}

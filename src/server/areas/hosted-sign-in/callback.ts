import { hostedCallback } from '#contract/auth/sign-in.ts'
import { readCookie } from '#edge/credentials/cookies.ts'
import { toServiceError } from '#edge/http/problem.ts'
import { type Route, route } from '#edge/http/route.ts'
import { seeOther } from '#edge/pages/page.ts'
import { endSession, exchange } from './auth-calls.ts'
import { type HostedDeps, SESSION_COOKIE_SECONDS } from './deps.ts'
import { findFlow } from './flow.ts'
import { refusalPage } from './pages.ts'

/** Back with a code: the token it stands for comes from the auth service itself and never stands in a URL. */
export function callbackRoute(deps: HostedDeps): Route {
  const { cookies } = deps
  const over = cookies.set('flow', '', 0)
  return route(hostedCallback, async ({ code, state }, context) => {
    const flow = state === undefined ? undefined : findFlow(deps, context.request, state)
    if (!flow || code === undefined) return refusalPage('stale')
    try {
      const token = await exchange(deps, context, code, flow.state)
      const before = readCookie(context.request, cookies.session)
      // Its cookie goes either way: a fault here must not keep anybody out.
      if (before !== undefined) await endSession(deps, context, before).catch(() => undefined)
      return seeOther(flow.return_to, [cookies.set('session', token, SESSION_COOKIE_SECONDS), over])
    } catch (error) {
      const refusal = toServiceError(error)
      if (refusal.code === 'INTERNAL') throw error
      return refusalPage(refusal.status >= 500 ? 'unreachable' : 'stale', [over])
    }
  })
}

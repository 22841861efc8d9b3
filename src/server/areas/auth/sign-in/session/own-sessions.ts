import { endOwnSession, listSessions, sessionToken, signOut } from '#contract/auth/sign-in.ts'
import { notFound, ServiceError } from '#contract/core/errors.ts'
import { calledByCookie, invalidToken } from '#edge/credentials/caller.ts'
import { refuseCrossSite } from '#edge/credentials/csrf.ts'
import { seeOther } from '#edge/pages/page.ts'
import { type Route, route } from '#edge/route/route.ts'
import { endSession, SESSION_IDLE_MS, SESSION_MAX_MS } from '../../sessions/sessions.ts'
import { signUserJwt } from '../../sessions/user-jwt.ts'
import { endSessionOf, listSessionsOf } from '../../store/sessions.ts'
import type { SignInDeps } from '../deps.ts'
import { callerSession } from './caller-session.ts'

/** Routes by which a person lists, ends and uses their own sessions. */
export function ownSessionRoutes(deps: SignInDeps): Route[] {
  const { db, clock, keys, onRevoked } = deps
  return [
    route(listSessions, async (_, { request, principal }) => {
      const now = clock.now().getTime()
      const current = await callerSession(deps, request)
      const rows = await listSessionsOf(db, {
        userId: principal.id,
        epoch: keys.epoch,
        idleSince: new Date(now - SESSION_IDLE_MS),
        startedSince: new Date(now - SESSION_MAX_MS),
      })
      const items = rows.map(({ created_at, last_seen_at, ...row }) => ({
        ...row,
        is_current: row.id === current?.id,
        created_at: created_at.toISOString(),
        last_seen_at: last_seen_at.toISOString(),
      }))
      return { items }
    }),
    route(endOwnSession, async ({ id }, { principal }) => {
      if (!(await endSessionOf(db, principal.id, id, clock.now()))) throw notFound('session')
      onRevoked()
      return { id, ended: true as const }
    }),
    // Public, so that a browser that is signed out already gets the same answer.
    route(signOut, async (_, { request }) => {
      if (calledByCookie(request)) refuseCrossSite(request, deps.redirectBaseUrl)
      const session = await callerSession(deps, request)
      if (!session && !calledByCookie(request)) throw invalidToken()
      if (session) await endSession(deps, session.id)
      // Signing in leaves the cookie `flow`, so that sign-ins in other tabs of the browser can be completed too.
      const cookies = [deps.cookies.set('session', '', 0), deps.cookies.set('flow', '', 0)]
      if (request.headers.get('accept')?.includes('text/html')) return seeOther('/auth/login?signed_out=1', cookies)
      return new Response(null, { status: 204, headers: cookies.map((cookie) => ['set-cookie', cookie]) })
    }),
    route(sessionToken, async (_, { request }) => {
      const session = await callerSession(deps, request)
      // A token that could make the next token would never expire in effect.
      if (!session?.bySecret)
        throw new ServiceError('FORBIDDEN', 'This operation needs the session itself, not a token made from it.')
      const { token, expires_at } = await signUserJwt(deps, session.id, session.user_id)
      return { token, expires_at: expires_at.toISOString() }
    }),
  ]
}

import { endOwnSession, listSessions } from '#contract/auth/sign-in.ts'
import { notFound } from '#contract/core/errors.ts'
import { type Route, route } from '#edge/http/route.ts'
import { SESSION_IDLE_MS, SESSION_MAX_MS } from '../sessions/sessions.ts'
import { endSessionOf, listSessionsOf } from '../store/sessions.ts'
import { callerSession } from './caller-session.ts'
import type { SignInDeps } from './deps.ts'

/** What a person sees and ends of their own sessions. */
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
  ]
}

import { sessionToken } from '#contract/auth/sign-in.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { type Route, route } from '#edge/http/route.ts'
import { signUserJwt } from '../sessions/user-jwt.ts'
import { callerSession } from './caller-session.ts'
import type { SignInDeps } from './deps.ts'

export function sessionTokenRoute(deps: SignInDeps): Route {
  return route(sessionToken, async (_, { request }) => {
    const session = await callerSession(deps, request)
    // A token that could make the next token would never expire in effect.
    if (!session?.bySecret)
      throw new ServiceError('FORBIDDEN', 'This operation needs the session itself, not a token made from it.')
    const { token, expires_at } = await signUserJwt(deps, session.id, session.user_id)
    return { token, expires_at: expires_at.toISOString() }
  })
}

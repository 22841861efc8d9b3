import { calledByCookie, tokenOf } from '#edge/credentials/caller.ts'
import { kindOfToken } from '../../model/token-format.ts'
import { type LiveSession, liveSession } from '../../sessions/sessions.ts'
import { readUserJwt } from '../../sessions/user-jwt.ts'
import type { SignInDeps } from '../deps.ts'

type Deps = Pick<SignInDeps, 'db' | 'clock' | 'keys' | 'cookies'>

/** `bySecret`: the request carried the session's own secret, not a JWT made from it. */
export type CallerSession = LiveSession & { byCookie: boolean; bySecret: boolean }

export async function callerSession(deps: Deps, request: Request): Promise<CallerSession | undefined> {
  const token = tokenOf(request, deps.cookies.session)
  if (token === undefined) return undefined
  const bySecret = kindOfToken(token) === 'session'
  const session = bySecret ? await liveSession(deps, { secret: token }) : await sessionOfJwt(deps, token)
  return session && { ...session, byCookie: calledByCookie(request), bySecret }
}

async function sessionOfJwt(deps: Deps, token: string): Promise<LiveSession | undefined> {
  const jwt = await readUserJwt(deps, token)
  const session = jwt && (await liveSession(deps, { id: jwt.sessionId }))
  return session?.user_id === jwt?.userId ? session : undefined
}

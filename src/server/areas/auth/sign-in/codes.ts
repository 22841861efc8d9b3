import { exchangeCode } from '#contract/auth/sign-in.ts'
import { invalidToken } from '#edge/credentials/caller.ts'
import { type Route, route } from '#edge/route/route.ts'
import { kindOfToken, makeToken } from '../model/token-format.ts'
import { liveSession, SESSION_IDLE_MS, startSession } from '../sessions/sessions.ts'
import type { SignInDeps } from './deps.ts'
import { copySessionStart, findNewestOrg, insertCode, takeCode } from './store.ts'

const CODE_LIFETIME_MS = 60_000

/**
 * Issues a code that is sent in a URL in place of a token. It works once, for a minute, and only with the same `state`.
 */
export async function issueCode({ db, keys, clock }: SignInDeps, sessionId: string, state: string): Promise<string> {
  const code = makeToken('code')
  const now = clock.now()
  await insertCode(db, {
    hash: keys.hash('code', code),
    epoch: keys.epoch,
    session_id: sessionId,
    state: keys.hash('state', state).toString('hex'),
    expires_at: new Date(now.getTime() + CODE_LIFETIME_MS),
    now,
  })
  return code
}

export function exchangeRoute(deps: SignInDeps): Route {
  const { db, keys, clock } = deps
  return route(exchangeCode, async ({ code, state }) => {
    // Deleted before it is checked, because a code sent with a wrong state has leaked.
    const row = kindOfToken(code) === 'code' ? await takeCode(db, keys.hash('code', code), keys.epoch) : undefined
    const now = clock.now()
    if (!row || row.expires_at <= now || row.state !== keys.hash('state', state).toString('hex')) throw invalidToken()
    const original = await liveSession(deps, { id: row.session_id })
    if (!original) throw invalidToken()
    const session = await db.tx(async (tx) => {
      const org_id = await findNewestOrg(tx, original.user_id)
      const started = await startSession(tx, deps, { user_id: original.user_id, org_id, now })
      await copySessionStart(tx, started.id, original.id)
      return started
    })
    return { token: session.secret, expires_at: new Date(now.getTime() + SESSION_IDLE_MS).toISOString() }
  })
}

import type { Tx } from '#lib/db/db.ts'
import { browserName } from '../../model/browser-name.ts'
import { type NewSession, SESSION_MAX_MS, startSession } from '../../sessions/sessions.ts'
import { endSessionRow } from '../../store/sessions.ts'
import type { SignInDeps } from '../deps.ts'
import { findNewestOrg } from '../store.ts'
import { callerSession } from './caller-session.ts'

/** The browser of a request, as a route gets it. */
export type Visitor = { readonly request: Request; readonly clientAddress: string }

/** Starts a new session for the user and ends the one this browser had before. */
export async function startBrowserSession(
  deps: SignInDeps,
  { request, clientAddress }: Visitor,
  findUser: (tx: Tx, now: Date) => Promise<{ id: string; org_id?: string | null }>,
): Promise<NewSession> {
  const before = await callerSession(deps, request)
  const now = deps.clock.now()
  const session = await deps.db.tx(async (tx) => {
    const { id, org_id = await findNewestOrg(tx, id) } = await findUser(tx, now)
    if (before?.byCookie) await endSessionRow(tx, before.id, now)
    return startSession(
      tx,
      deps,
      { user_id: id, org_id, now },
      { signed_in_with: browserName(request.headers.get('user-agent')), signed_in_from: clientAddress },
    )
  })
  deps.onRevoked()
  return session
}

export function sessionCookie({ cookies }: Pick<SignInDeps, 'cookies'>, secret: string): string {
  return cookies.set('session', secret, SESSION_MAX_MS / 1000)
}

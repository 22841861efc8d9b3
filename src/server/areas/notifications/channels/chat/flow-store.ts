import { ServiceError } from '#contract/core/errors.ts'
import { readCookie } from '#edge/credentials/cookies.ts'
import type { Member } from '#edge/route/route.ts'
import { sql } from '#lib/db/sql.ts'
import type { NotificationDeps } from '../../model/deps.ts'
import { newToken, tokenDigest } from '../../model/link-token.ts'

const FLOW_MINUTES = 10

/** Dependencies of what leaves for the chat service and comes back. */
export type FlowDeps = Pick<NotificationDeps, 'db' | 'clock' | 'chatApp' | 'baseUrl' | 'sessionCookies'>
type Deps = Pick<FlowDeps, 'db' | 'clock' | 'sessionCookies'>
type FlowPurpose = 'install' | 'link'

/** Saves who leaves for the chat service and what for. The state works once, for the same person and session. */
export async function startFlow(
  { db, clock, sessionCookies }: Deps,
  { purpose, principal, request }: { purpose: FlowPurpose; principal: Member; request: Request },
) {
  const { org_id, user_id } = principal
  if (user_id === null) throw new ServiceError('FORBIDDEN', 'Only a person can do this.')
  const [state, nonce] = [newToken(), newToken()]
  const now = clock.now()
  const expiresAt = new Date(now.getTime() + FLOW_MINUTES * 60_000)
  await db.query(sql`
    with expired as (delete from notifications.chat_flows where expires_at <= ${now})
    insert into notifications.chat_flows (state_digest, purpose, org_id, user_id, session_digest, nonce, expires_at)
    values (${tokenDigest(state)}, ${purpose}, ${org_id}, ${user_id}, ${sessionDigest(sessionCookies, state, request)},
      ${nonce}, ${expiresAt})`)
  return { state, nonce, expiresAt }
}

type FlowRow = {
  purpose: FlowPurpose
  org_id: string
  user_id: string
  session_digest: Buffer | null
  nonce: string
  expires_at: Date
}

/**
 * Takes the flow, also when it is then refused, so that nobody can try a state twice. Throws unless the caller began it,
 * in the same session and organization.
 */
export async function resumeFlow(
  { db, clock, sessionCookies }: Deps,
  { state, principal, request }: { state: string | undefined; principal: Member; request: Request },
) {
  if (state === undefined) throw stale()
  const [row] = await db.query<FlowRow>(sql`
    delete from notifications.chat_flows where state_digest = ${tokenDigest(state)}
    returning purpose, org_id, user_id, session_digest, nonce, expires_at`)
  const isTheirs =
    row !== undefined &&
    row.user_id === principal.user_id &&
    row.org_id === principal.org_id &&
    row.expires_at > clock.now() &&
    (row.session_digest === null || sessionDigest(sessionCookies, state, request)?.equals(row.session_digest))
  if (!isTheirs) throw stale()
  return { purpose: row.purpose, nonce: row.nonce }
}

function stale(): ServiceError {
  const detail =
    'This was begun by another person, in another session or organization, longer than ten minutes ago, or was completed already. Begin again.'
  return new ServiceError('INVALID_REQUEST', detail)
}

/** Null for a caller without a session cookie: with an API token only the person is compared. */
function sessionDigest(cookies: readonly string[], state: string, request: Request): Buffer | null {
  const session = request.headers.has('authorization') ? undefined : readCookie(request, cookies)
  return session === undefined ? null : tokenDigest(`${state} ${session}`)
}

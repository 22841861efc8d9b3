import { createHash, randomBytes } from 'node:crypto'
import { ServiceError } from '#contract/core/errors.ts'
import { readCookie } from '#edge/credentials/cookies.ts'
import type { Member } from '#edge/http/route.ts'
import type { Clock } from '#lib/clock.ts'
import type { Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

const FLOW_MINUTES = 10

type Deps = {
  db: Querier
  clock: Clock
  /** Names of the cookies that a session is read from. */
  sessionCookies: readonly string[]
}
type FlowPurpose = 'install' | 'link'
type StartedFlow = { state: string; nonce: string; expiresAt: Date }
export type ResumedFlow = { purpose: FlowPurpose; orgId: string; userId: string; nonce: string }

/** Saves who leaves for the chat service and what for. The state works once, for the same person and session. */
export async function startFlow(
  { db, clock, sessionCookies }: Deps,
  { purpose, principal, request }: { purpose: FlowPurpose; principal: Member; request: Request },
): Promise<StartedFlow> {
  const { org_id, user_id } = principal
  if (user_id === null) throw new ServiceError('FORBIDDEN', 'Only a person can do this.')
  const state = randomBytes(32).toString('base64url')
  const nonce = randomBytes(32).toString('base64url')
  const now = clock.now()
  const expiresAt = new Date(now.getTime() + FLOW_MINUTES * 60_000)
  await db.query(sql`
    with expired as (delete from notifications.chat_flows where expires_at <= ${now})
    insert into notifications.chat_flows (state_digest, purpose, org_id, user_id, session_digest, nonce, expires_at)
    values (${digest(state)}, ${purpose}, ${org_id}, ${user_id}, ${sessionDigest(sessionCookies, state, request)},
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

/** Takes the flow, also when it is then refused, so that nobody can try a state twice. */
export async function resumeFlow(
  { db, clock, sessionCookies }: Deps,
  { state, principal, request }: { state: string | undefined; principal: Member; request: Request },
): Promise<ResumedFlow> {
  if (state === undefined) throw stale()
  const [row] = await db.query<FlowRow>(sql`
    delete from notifications.chat_flows where state_digest = ${digest(state)}
    returning purpose, org_id, user_id, session_digest, nonce, expires_at`)
  const isTheirs =
    row !== undefined &&
    row.user_id === principal.user_id &&
    row.org_id === principal.org_id &&
    row.expires_at > clock.now() &&
    (row.session_digest === null || sessionDigest(sessionCookies, state, request)?.equals(row.session_digest))
  if (!isTheirs) throw stale()
  return { purpose: row.purpose, orgId: row.org_id, userId: row.user_id, nonce: row.nonce }
}

function stale(): ServiceError {
  const detail =
    'This was begun by another person, in another session or organization, longer than ten minutes ago, or was completed already. Begin again.'
  return new ServiceError('INVALID_REQUEST', detail)
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Null for a caller without a session cookie: with an API token only the person is compared. */
function sessionDigest(cookies: readonly string[], state: string, request: Request): Buffer | null {
  const session = request.headers.has('authorization') ? undefined : readCookie(request, cookies)
  return session === undefined ? null : digest(`${state} ${session}`)
}

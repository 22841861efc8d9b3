import type { Principal } from '#contract/core/principal.ts'
import { newId } from '#edge/ids.ts'
import type { Tx } from '#lib/db/db.ts'
import type { AuthDeps } from '../model/deps.ts'
import { makeToken } from '../model/token-format.ts'
import { endSessionRow, findSession, insertSession, type SessionPlace, touchSession } from '../store/sessions.ts'

export const SESSION_IDLE_MS = 12 * 3_600_000
export const SESSION_MAX_MS = 30 * 24 * 3_600_000
/** `last_seen_at` is written at most this often. */
const TOUCH_INTERVAL_MS = 60_000

/** The place of a session that takes over the start of another one, before that is copied. */
const UNKNOWN_PLACE: SessionPlace = { signed_in_with: null, signed_in_from: null }

export type NewSession = { id: string; secret: string }

/**
 * Starts a session with a new secret, so that a secret planted in the browser before sign-in is worthless (fixation).
 */
export async function startSession(
  tx: Tx,
  { keys }: Pick<AuthDeps, 'keys'>,
  session: { user_id: string; org_id: string | null; now: Date },
  place: SessionPlace = UNKNOWN_PLACE,
): Promise<NewSession> {
  const secret = makeToken('session')
  const id = newId('ses')
  await insertSession(tx, { ...session, id, hash: keys.hash('session', secret), epoch: keys.epoch }, place)
  return { id, secret }
}

export type LiveSession = { id: string; user_id: string; principal: Principal }

/**
 * Finds a session by its secret (cookie) or id (JWT). Returns undefined if it ended, was idle too long, or the keys
 * were rotated.
 */
export async function liveSession(
  { db, clock, keys }: Pick<AuthDeps, 'db' | 'clock' | 'keys'>,
  by: { secret: string } | { id: string },
): Promise<LiveSession | undefined> {
  const now = clock.now()
  const key = 'secret' in by ? { hash: keys.hash('session', by.secret) } : by
  const row = await findSession(db, key, keys.epoch)
  if (!row) return undefined
  const idleUntil = row.last_seen_at.getTime() + SESSION_IDLE_MS
  const expiresAt = Math.min(idleUntil, row.created_at.getTime() + SESSION_MAX_MS)
  if (expiresAt <= now.getTime()) return undefined
  if (now.getTime() - row.last_seen_at.getTime() > TOUCH_INTERVAL_MS) await touchSession(db, row.id, now)
  return {
    id: row.id,
    user_id: row.user_id,
    principal: {
      kind: 'user',
      id: row.user_id,
      user_id: row.user_id,
      // A removed member stays signed in, without an organization.
      org_id: row.role === null ? null : row.org_id,
      role: row.role,
      scopes: [],
      expires_at: new Date(expiresAt).toISOString(),
    },
  }
}

export async function endSession({ db, clock, onRevoked }: AuthDeps, id: string): Promise<void> {
  await endSessionRow(db, id, clock.now())
  onRevoked()
}

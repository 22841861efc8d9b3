import { hash } from 'node:crypto'
import type { Tx } from '#lib/db/db.ts'
import { type Assertion, CLOCK_SECONDS } from './assertion.ts'
import { insertAssertion } from './store.ts'
import { TokenRefusal } from './token-refusal.ts'

/** Throws TokenRefusal if the assertion was exchanged before, by any process. */
export async function requireFirstUse(
  tx: Tx,
  issuer: string,
  { id, expiresAt }: Pick<Assertion, 'id' | 'expiresAt'>,
  now: Date,
): Promise<void> {
  const digest = Buffer.from(hash('sha256', `${issuer} ${id}`), 'hex')
  // Longer than it is valid, because it is valid for longer where a clock is behind.
  const expires_at = new Date(expiresAt.getTime() + CLOCK_SECONDS * 1000)
  if (await insertAssertion(tx, { hash: digest, expires_at }, now)) return
  throw new TokenRefusal('invalid_grant', 'the assertion was used before')
}

import { hash } from 'node:crypto'
import type { KeyValueStore } from '#lib/kv/kv.ts'
import type { Clock } from '#lib/time/clock.ts'
import { type Assertion, CLOCK_SECONDS } from './assertion.ts'
import { TokenRefusal } from './token-refusal.ts'

type Deps = { readonly kv: KeyValueStore; readonly clock: Clock }

/** Throws TokenRefusal if the assertion was exchanged before, by any process. */
export async function requireFirstUse(
  { kv, clock }: Deps,
  issuer: string,
  { id, expiresAt }: Pick<Assertion, 'id' | 'expiresAt'>,
): Promise<void> {
  // Longer than it is valid, because it is valid for longer where a clock is behind.
  const seconds = Math.ceil((expiresAt.getTime() - clock.now().getTime()) / 1000) + CLOCK_SECONDS
  if (await kv.setOnce(`company-assertion:${hash('sha256', `${issuer} ${id}`)}`, seconds)) return
  throw new TokenRefusal('invalid_grant', 'the assertion was used before')
}

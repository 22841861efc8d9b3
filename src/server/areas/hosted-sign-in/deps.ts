import type { Cookies } from '#edge/credentials/cookies.ts'
import type { CountFailure } from '#edge/limits/rate-limit.ts'
import type { ServiceFetch } from '#edge/route/route.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { KeyValueStore } from '#lib/kv/kv.ts'
import type { Clock } from '#lib/time/clock.ts'

/** Dependencies of the sign-in at a hosted auth service. This gateway stores no session, only its cookie. */
export type HostedDeps = {
  readonly auth: ServiceFetch
  readonly loginUrl: string
  readonly publicUrl: string
  readonly allowedRedirectBaseUrls: readonly string[]
  readonly cookies: Cookies
  readonly sealer: Sealer
  readonly clock: Clock
  readonly kv: KeyValueStore
  readonly countFailure: CountFailure
  /** Called when a session ended, so that principals cached in this process are dropped. */
  readonly onRevoked: () => void
}

export const SESSION_COOKIE_SECONDS = 30 * 24 * 3600

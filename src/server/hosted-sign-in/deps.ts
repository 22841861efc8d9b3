import type { Cookies } from '#edge/cookies.ts'
import type { CountFailure } from '#edge/rate-limit.ts'
import type { ServiceFetch } from '#edge/route.ts'
import type { Clock } from '#lib/clock.ts'
import type { KeyValueStore } from '#lib/kv.ts'
import type { Sealer } from '#lib/seal.ts'

/** Signing in at an auth service that is somebody else's: this gateway keeps only the cookie. */
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
  /** A session ended: whoever keeps principals in this process forgets them. */
  readonly onRevoked: () => void
}

export const SESSION_COOKIE_SECONDS = 30 * 24 * 3600

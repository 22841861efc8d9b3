import { type Client, createClient } from '#contract/core/client.ts'
import type { FetchLike } from '#contract/core/client-send.ts'
import type { Log } from '#lib/log/log.ts'
import type { Clock } from '#lib/time/clock.ts'

export type HostedPeopleDeps = {
  /** The hosted auth service. */
  readonly auth: FetchLike
  /** API tokens of owners or admins, one per organization. */
  readonly tokens: readonly string[]
  readonly clock: Clock
  readonly log: Log
  /** All calls for one answer together take no longer. */
  readonly timeLimitMs: number
}

export function clientFor({ auth }: HostedPeopleDeps, token: string): Client {
  const headers = () => ({ authorization: `Bearer ${token}` })
  return createClient({ baseUrl: 'http://auth-service', fetch: auth, headers })
}

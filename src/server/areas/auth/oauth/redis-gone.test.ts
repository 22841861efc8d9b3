import { expect, it } from 'vitest'
import type { Operation } from '#contract/core/operation.ts'
import { createAssertionSigner } from '#edge/credentials/actor-assertion.ts'
import { toServiceError } from '#edge/format/problem.ts'
import { createLimiter } from '#edge/limits/rate-limit.ts'
import { type KeyValueStore, openMemoryStore } from '#lib/kv/kv.ts'
import { withFallback } from '#lib/kv/kv-fallback.ts'
import { systemClock } from '#lib/time/clock.ts'
import { createAssertionValidator } from './agent-principal.ts'
import type { OAuthDeps } from './deps.ts'

const SECRET = 'ab'.repeat(32)
const INFO = { clientAddress: '203.0.113.9', requestId: 'req_1', via: 'api', direct: false } as const

/** The store of a process whose Redis refuses every connection. */
function withoutRedis(): KeyValueStore {
  const refuse = () => Promise.reject(new Error('connect ECONNREFUSED'))
  const own = openMemoryStore(systemClock)
  const names = ['count', 'take', 'get', 'set', 'setOnce', 'delete', 'ping'] as const
  const gone = Object.fromEntries(names.map((name) => [name, refuse]))
  return withFallback({ ...own, ...gone, kind: 'redis' }, own, { clock: systemClock })
}

it('AU-13 without Redis no assertion is accepted, because nobody knows whether it was used: 503, repeatable', async () => {
  const deps = { db: { query: async () => [] }, clock: systemClock, keys: { epoch: 'e' }, kv: withoutRedis() }
  const validate = createAssertionValidator({ ...deps, actorAssertionSecret: SECRET } as unknown as OAuthDeps)
  const claims = { grantId: 'grant_1', userId: 'usr_1', clientId: 'client_1', scopes: [] }
  const assertion = createAssertionSigner(SECRET, systemClock)(claims, 'api-gateway')
  const error = await validate(assertion, 'api-gateway').catch((caught: unknown) => caught)
  expect(toServiceError(error)).toMatchObject({ code: 'UNAVAILABLE', status: 503, retryAfterSeconds: 1 })
})

it('AU-17 without Redis each process still holds its rate limits', async () => {
  const rateLimits = [{ name: 'test', per: 'address', limit: 2, windowSeconds: 3600 }]
  const limit = createLimiter({ rateLimits } as unknown as Operation, { kv: withoutRedis(), clock: systemClock })!
  await limit(INFO, null)
  await limit(INFO, null)
  await expect(limit(INFO, null)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
})

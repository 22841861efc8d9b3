import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Querier } from '#lib/db/db.ts'
import { createLog } from '#lib/log/log.ts'
import { createMetrics } from '#lib/metrics/metrics.ts'
import { testClock } from '#lib/time/clock.ts'
import { type FakeKubernetes, startFakeKubernetes } from '#test/kubernetes/fake-kubernetes.ts'
import { annotations } from '#test/kubernetes/workload.ts'
import { until } from '#test/until.ts'
import { createWorkloadValidator } from './validate.ts'

/** Every organization exists. */
const db: Querier = { query: async () => [{}] as never }

describe('AU-15 under a flood of forged workload tokens', () => {
  const clock = testClock(new Date())
  let cluster: FakeKubernetes
  let validate: ReturnType<typeof createWorkloadValidator>
  beforeEach(async () => {
    cluster = await startFakeKubernetes(clock)
    const { url: apiServer, credentialsDir } = cluster
    validate = createWorkloadValidator(
      { db, clock, log: createLog('silent'), metrics: createMetrics({ processMetrics: false }) },
      { audience: 'svc-control-plane', apiServer, credentialsDir, timeoutMs: 20_000 },
    )
  })
  afterEach(() => cluster?.[Symbol.asyncDispose]())

  /** Sends tokens whose review never ends, so that they hold their slots. */
  const flood = (tokens: readonly string[], addressOf: (n: number) => string) => {
    cluster.fault = 'silent'
    for (const [n, token] of tokens.entries()) void validate(token, addressOf(n)).catch(() => undefined)
  }
  const forge = (count: number) => {
    const good = cluster.token(cluster.serviceAccount('org-acme', 'worker', annotations('org_1')))
    return Array.from({ length: count }, (_, n) => `${good.slice(0, good.lastIndexOf('.'))}.AA${n}`)
  }

  it('a token that was accepted before is still accepted from the same address', async () => {
    const good = cluster.token(cluster.serviceAccount('org-acme', 'other', annotations('org_1')))
    await validate(good, '203.0.113.1')
    // The cached review has expired, so the cluster must be asked again.
    clock.advance(10_001)
    flood(forge(100), () => '203.0.113.1')
    await until(() => cluster.unanswered.length >= 4)
    cluster.fault = undefined
    expect(await validate(good, '203.0.113.1')).toMatchObject({ kind: 'workload', deployment: 'dep_1' })
  })

  it('a token whose last review refused it waits in the queue of new tokens', async () => {
    const account = cluster.serviceAccount('org-acme', 'other', annotations('org_1'))
    const token = cluster.token(account)
    await validate(token, '203.0.113.1')
    cluster.deleteServiceAccount(account)
    clock.advance(10_001)
    expect(await validate(token, '203.0.113.1')).toBeUndefined()
    const forged = forge(4)
    flood([...forged, token], () => '203.0.113.1')
    await until(() => cluster.unanswered.length >= 4)
    flood([forged[0]!], () => '203.0.113.2')
    await until(() => cluster.unanswered.length >= 5)
    expect(cluster.unanswered).not.toContain(token)
  })

  it('all addresses of one /64 share four concurrent reviews, and another block has its own four', async () => {
    const [a, b, c, d, fifth, elsewhere] = forge(6)
    flood([a!, b!, c!, d!, fifth!], (n) => `2001:db8:0:1::${n + 1}`)
    await until(() => cluster.unanswered.length >= 4)
    flood([elsewhere!], () => '2001:db8:0:2::1')
    await until(() => cluster.unanswered.includes(elsewhere!))
    expect(new Set(cluster.unanswered)).toEqual(new Set([a, b, c, d, elsewhere]))
  })
})

import { describe, expect, it } from 'vitest'
import { activityStatistics } from '#contract/activity.ts'
import { searchLogs, tailLogs } from '#contract/apps/logs.ts'
import { diffRevisions } from '#contract/apps/revisions.ts'
import { showCheckHistory } from '#contract/checks/overview.ts'
import type { Principal } from '#contract/core/principal.ts'
import { deliveryStatistics } from '#contract/notifications/deliveries.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import { openMemoryStore } from '#lib/kv/kv.ts'
import { createLog } from '#lib/log/log.ts'
import { createMetrics } from '#lib/metrics/metrics.ts'
import { testClock } from '#lib/time/clock.ts'
import { until } from '#test/until.ts'
import { route } from '../route/route.ts'
import { createEdge } from '../serve/create-edge.ts'

/** `usr_a1` is a person of the organization `org_a`. */
function principalOf(user: string): Principal {
  const org_id = `org_${user.slice(4, 5)}`
  return { kind: 'user', id: user, user_id: user, org_id, role: 'admin', scopes: [], expires_at: null }
}

const APP = '/api/deploy/deployments/shop'

function openEdge() {
  const clock = testClock()
  const diffs = Promise.withResolvers<void>()
  const reads = Promise.withResolvers<void>()
  let begunReads = 0
  const read = () => {
    begunReads++
    return reads.promise
  }
  const edge = createEdge(
    [
      route(tailLogs, async function* (_, { signal }) {
        yield { type: 'dropped', id: 'a', at: '2026-01-01T00:00:00.000Z', count: 1 }
        const gone = Promise.withResolvers<void>()
        signal.addEventListener('abort', () => gone.resolve())
        await gone.promise
      }),
      route(diffRevisions, async () => {
        await diffs.promise
        return { base: null, revision: 'rev_1', files: [], truncated: false }
      }),
      route(searchLogs, async () => {
        await read()
        return { items: [], next_cursor: null, dropped: 0 }
      }),
      route(activityStatistics, async () => {
        await read()
        return { buckets: [], targets: [], people: [] }
      }),
      route(deliveryStatistics, async () => {
        await read()
        return { channels: [], days: [] }
      }),
      route(showCheckHistory, async () => {
        await read()
        return { from: '2026-01-01T00:00:00.000Z', to: '2026-01-02T00:00:00.000Z', items: [] }
      }),
    ],
    {
      service: 'test',
      resolve: async (request) => principalOf(request.headers.get('authorization')!.slice('Bearer '.length)),
      operatorToken: undefined,
      hasPart: async () => true,
      // No operation here reads it.
      db: {} as Db,
      kv: openMemoryStore(clock),
      sealer: createSealer(['ab'.repeat(32)]),
      clock,
      log: createLog('info', { write: () => {} }),
      metrics: createMetrics({ processMetrics: false }),
    },
  )
  const ask = (user: string, path: string) => {
    const request = new Request(`http://test${path}`, {
      headers: { authorization: `Bearer ${user}` },
    })
    return edge(request, { clientAddress: '198.51.100.1', requestId: 'req_1', via: 'api', direct: false })
  }
  return {
    tail: (user: string) => ask(user, `${APP}/logs/tail`),
    diff: (user: string) => ask(user, `${APP}/revisions/rev_1/diff`),
    endDiffs: () => diffs.resolve(),
    ask,
    endReads: () => reads.resolve(),
    begunReads: () => begunReads,
  }
}

const times = <T>(count: number, make: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => make(n)))

describe('OP-10 requests that run at once', () => {
  it('a person follows 30 logs; the next is 429 with Retry-After until one of them is closed', async () => {
    const { tail } = openEdge()
    const streams = await times(30, () => tail('usr_a1'))
    expect(streams.map(({ status }) => status)).toEqual(Array.from({ length: 30 }, () => 200))
    const refused = await tail('usr_a1')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
    expect(await refused.json()).toMatchObject({
      code: 'RATE_LIMITED',
      detail:
        'Limit reached: 30 of these requests at once for one person. End one of them, or try again when one has ended.',
    })
    expect((await tail('usr_a2')).status).toBe(200)
    await streams[0]!.body!.cancel()
    expect((await tail('usr_a1')).status).toBe(200)
    expect((await tail('usr_a1')).status).toBe(429)
  })

  it('the people of an organization follow 300 logs together, and another organization is not affected', async () => {
    const { tail } = openEdge()
    await times(300, (n) => tail(`usr_a${Math.floor(n / 30)}`))
    const refused = await tail('usr_a99')
    expect([refused.status, await refused.text()]).toEqual([
      429,
      expect.stringContaining('300 of these requests at once for the organization'),
    ])
    expect((await tail('usr_b1')).status).toBe(200)
  })

  it('of eight diffs of one person two run, and the next can after they ended', async () => {
    const { diff, endDiffs } = openEdge()
    const answers = Array.from({ length: 8 }, () => diff('usr_a1'))
    const refused = await Promise.all(answers.slice(2))
    expect(refused.map(({ status }) => status)).toEqual([429, 429, 429, 429, 429, 429])
    endDiffs()
    expect((await Promise.all(answers.slice(0, 2))).map(({ status }) => status)).toEqual([200, 200])
    expect((await diff('usr_a1')).status).toBe(200)
  })
  it.each([
    ['searches of logs', `${APP}/logs?text=error`],
    ['statistics of Activity', '/api/activity/statistics'],
    ['statistics of deliveries', '/api/notifications/delivery-statistics'],
    ['histories of checks', `${APP}/check-history`],
  ])('a person has six %s under way; the next is 429 until they ended', async (_, path) => {
    const { ask, endReads } = openEdge()
    const answers = Array.from({ length: 6 }, () => ask('usr_a1', path))
    const refused = await ask('usr_a1', path)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    expect(await refused.json()).toMatchObject({
      code: 'RATE_LIMITED',
      detail:
        'Limit reached: 6 of these requests at once for one person. End one of them, or try again when one has ended.',
    })
    endReads()
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
    expect((await ask('usr_a1', path)).status).toBe(200)
  })

  it('searches and statistics share one count, and an organization has 18 of them under way', async () => {
    const { ask, endReads, begunReads } = openEdge()
    const paths = [`${APP}/logs`, '/api/activity/statistics', `${APP}/check-history`]
    const answers = Array.from({ length: 18 }, (_, n) => ask(`usr_a${Math.floor(n / 6)}`, paths[n % 3]!))
    await until(async () => begunReads() === 18)
    const refused = await ask('usr_a9', paths[0]!)
    expect([refused.status, await refused.text()]).toEqual([
      429,
      expect.stringContaining('18 of these requests at once for the organization'),
    ])
    const other = ask('usr_b1', paths[0]!)
    endReads()
    expect((await Promise.all([...answers, other])).filter(({ status }) => status !== 200)).toEqual([])
  })
})

import { describe, expect, it } from 'vitest'
import { tailLogs } from '#contract/apps/logs.ts'
import { diffRevisions } from '#contract/apps/revisions.ts'
import type { Principal } from '#contract/core/principal.ts'
import { testClock } from '#lib/clock.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import { openMemoryStore } from '#lib/kv.ts'
import { createLog } from '#lib/log.ts'
import { createMetrics } from '#lib/metrics.ts'
import { createEdge } from './create-edge.ts'
import { route } from './route.ts'

/** `usr_a1` is a person of the organization `org_a`. */
function principalOf(user: string): Principal {
  const org_id = `org_${user.slice(4, 5)}`
  return { kind: 'user', id: user, user_id: user, org_id, role: 'developer', scopes: [], expires_at: null }
}

function openEdge() {
  const clock = testClock()
  const diffs = Promise.withResolvers<void>()
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
    const request = new Request(`http://test/api/deploy/deployments/shop/${path}`, {
      headers: { authorization: `Bearer ${user}` },
    })
    return edge(request, { clientAddress: '198.51.100.1', requestId: 'req_1', via: 'api', direct: false })
  }
  return {
    tail: (user: string) => ask(user, 'logs/tail'),
    diff: (user: string) => ask(user, 'revisions/rev_1/diff'),
    endDiffs: () => diffs.resolve(),
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
})

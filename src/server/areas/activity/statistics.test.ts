import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { activityStatistics, listActivity } from '#contract/activity.ts'
import { lowestId, newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { type System, startSystem } from '#test/system.ts'

type Person = Awaited<ReturnType<System['member']>>
type Call = { at: string; target?: string; source?: string; status?: number | null; ms?: number | null; type?: string }

const MARCH = { type: 'data_sources', from: '2026-03-01T00:00:00Z', to: '2026-03-04T00:00:00Z' } as const

describe('DS-20 Activity by time, person, source and outcome', () => {
  let system: System
  let [owner, admin, developer, viewer, stranger]: Person[] = []

  beforeAll(async () => {
    system = await startSystem()
    owner = await system.member('owner')
    const people = ['admin', 'developer', 'viewer'] as const
    ;[admin, developer, viewer] = await Promise.all(people.map((role) => system.member(role, owner!.org_id)))
    stranger = await system.member('owner')
    for (const [who, call] of CALLS()) await record(who, call)
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  const CALLS = (): [Person, Call][] => [
    [developer!, { at: '2026-03-01T09:00:00Z', ms: 10 }],
    [developer!, { at: '2026-03-01T10:00:00Z', ms: 30, source: 'mcp' }],
    [viewer!, { at: '2026-03-01T23:30:00Z', ms: 900, status: 403 }],
    [viewer!, { at: '2026-03-03T08:00:00Z', target: 'db_notes', ms: 50, source: 'cli' }],
    [viewer!, { at: '2026-03-03T08:30:00Z', target: 'db_notes', status: 503, ms: 70 }],
    [viewer!, { at: '2026-03-03T09:00:00Z', target: 'db_notes', status: null, ms: null }],
    [developer!, { at: '2026-03-04T00:00:00Z', ms: 1 }],
    [developer!, { at: '2026-03-02T00:00:00Z', ms: 1, type: 'function', target: 'hello/greet' }],
    [stranger!, { at: '2026-03-02T12:00:00Z', ms: 5_000, target: 'db_secret' }],
  ]

  /** Ids carry the time, as those of real records do. */
  async function record(who: Person, call: Call): Promise<void> {
    const { at, target = 'db_handbook', source = 'api', status = 200, ms = 1, type = 'data_source' } = call
    await system.db.query(sql`
      insert into activity.records
        (id, org_id, type, source, target, principal_kind, principal_id, user_id, asked_at, counted, key_id, digest,
         question_bytes, status, duration_ms, answer_bytes)
      values (${idAt(at)}, ${who.org_id}, ${type}, ${source}, ${target}, 'api_token', 'tok_1', ${who.user_id}, ${at},
              true, 'key', ${Buffer.alloc(16)}, 1, ${status}, ${ms}, 1)`)
  }

  const count = (who: Person, input: object = {}) =>
    system.client(who.token).call(activityStatistics, { ...MARCH, ...input })
  const seen = async (who: Person, input: object = {}) =>
    (await system.client(who.token).call(listActivity, { ...MARCH, ...input })).items.map(({ asked_at }) => asked_at)

  it('counts each day by source and outcome, with latencies of answered calls, and days without any', async () => {
    const { buckets } = await count(admin!)
    expect(buckets).toEqual([
      {
        start: '2026-03-01T00:00:00.000Z',
        total: 3,
        by_source: { mcp: 1, cli: 0, api: 2 },
        by_outcome: { answered: 2, refused: 1, failed: 0, unknown: 0 },
        p50_ms: 20,
        p95_ms: 29,
      },
      {
        start: '2026-03-02T00:00:00.000Z',
        total: 0,
        by_source: { mcp: 0, cli: 0, api: 0 },
        by_outcome: { answered: 0, refused: 0, failed: 0, unknown: 0 },
        p50_ms: null,
        p95_ms: null,
      },
      {
        start: '2026-03-03T00:00:00.000Z',
        total: 3,
        by_source: { mcp: 0, cli: 1, api: 2 },
        by_outcome: { answered: 1, refused: 0, failed: 1, unknown: 1 },
        p50_ms: 50,
        p95_ms: 50,
      },
    ])
  })

  it('counts each data source over the same days, and who called what, by name', async () => {
    const { targets, people } = await count(owner!)
    expect(targets).toEqual([
      { target: 'db_handbook', total: 3, counts: [3, 0, 0] },
      { target: 'db_notes', total: 3, counts: [0, 0, 3] },
    ])
    expect(people).toEqual([
      { user_id: viewer!.user_id, user_name: expect.any(String), total: 4, failed: 1, most_called: 'db_notes' },
      { user_id: developer!.user_id, user_name: expect.any(String), total: 2, failed: 0, most_called: 'db_handbook' },
    ])
  })

  it('days begin in the timezone, also when daylight saving time begins', async () => {
    const { buckets } = await count(admin!, { timezone: 'Europe/Berlin' })
    expect(buckets.map(({ start, total }) => [start, total])).toEqual([
      ['2026-02-28T23:00:00.000Z', 2],
      ['2026-03-01T23:00:00.000Z', 1],
      ['2026-03-02T23:00:00.000Z', 3],
      ['2026-03-03T23:00:00.000Z', 0],
    ])
    const spring = { from: '2026-03-28T23:00:00Z', to: '2026-03-30T22:00:00Z', timezone: 'Europe/Berlin' }
    expect((await count(admin!, spring)).buckets.map(({ start }) => start)).toEqual([
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ])
  })

  it('hours can be counted', async () => {
    const { buckets } = await count(admin!, {
      bucket: 'hour',
      from: '2026-03-03T07:30:00Z',
      to: '2026-03-03T10:00:00Z',
    })
    expect(buckets.map(({ start, total }) => [start, total])).toEqual([
      ['2026-03-03T07:00:00.000Z', 0],
      ['2026-03-03T08:00:00.000Z', 2],
      ['2026-03-03T09:00:00.000Z', 1],
    ])
  })

  it.each([
    [{ outcome: 'refused' }, ['2026-03-01T23:30:00.000Z']],
    [{ outcome: 'unknown' }, ['2026-03-03T09:00:00.000Z']],
    [{ source: 'mcp' }, ['2026-03-01T10:00:00.000Z']],
    [{ from: '2026-03-03T08:30:00Z' }, ['2026-03-03T09:00:00.000Z', '2026-03-03T08:30:00.000Z']],
    [{ to: '2026-03-01T10:00:00Z' }, ['2026-03-01T09:00:00.000Z']],
    [{ type: 'functions' }, ['2026-03-02T00:00:00.000Z']],
  ] as const)('the list and the statistics take the filter %j', async (filter, times) => {
    expect(await seen(admin!, filter)).toEqual(times)
    const { buckets } = await count(admin!, filter)
    expect(buckets.reduce((sum, { total }) => sum + total, 0)).toBe(times.length)
  })

  it('a person and a target can be picked out', async () => {
    expect(await seen(admin!, { user_id: developer!.user_id })).toHaveLength(2)
    expect((await count(admin!, { target: 'db_notes' })).targets).toMatchObject([{ target: 'db_notes', total: 3 }])
  })

  it('a viewer and a developer count only their own calls, and nobody those of another organization', async () => {
    for (const [who, total] of [
      [viewer!, 4],
      [developer!, 2],
    ] as const) {
      const { buckets, people } = await count(who)
      expect(buckets.reduce((sum, bucket) => sum + bucket.total, 0)).toBe(total)
      expect(people.map(({ user_id }) => user_id)).toEqual([who.user_id])
    }
    expect((await count(viewer!, { user_id: developer!.user_id })).people).toEqual([])
    expect(await seen(viewer!, { user_id: developer!.user_id })).toEqual([])
    expect(JSON.stringify(await count(owner!))).not.toContain('db_secret')
    expect((await count(stranger!)).targets).toEqual([{ target: 'db_secret', total: 1, counts: [0, 1, 0] }])
  })

  it('more targets than are shown are counted together, last', async () => {
    const other = await system.member('owner')
    for (let n = 1; n <= 9; n++) {
      for (let repeated = n; repeated <= 9; repeated++) {
        await record(other, { at: '2026-03-02T10:00:00Z', target: `db_${n}` })
      }
    }
    const { targets } = await count(other)
    expect(targets.map(({ target, total }) => [target, total])).toEqual([
      ...[9, 8, 7, 6, 5, 4, 3].map((total, index) => [`db_${index + 1}`, total]),
      [null, 3],
    ])
  })

  it.each([
    ['an unknown timezone', { timezone: 'Mars/Olympus' }],
    ['an offset', { timezone: '+01:00' }],
    ['a time that ends before it begins', { to: '2026-02-01T00:00:00Z' }],
    ['93 days', { to: '2026-06-03T00:00:00Z' }],
    ['nine days by hour', { bucket: 'hour', to: '2026-03-10T00:00:00Z' }],
  ])('%s is refused', async (_, input) => {
    await expect(count(owner!, input)).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  })

  it('without times the last seven days are counted', async () => {
    const { buckets } = await system.client(owner!.token).call(activityStatistics, {})
    expect(buckets).toHaveLength(8)
  })
})

/** An id that was made at this time: its first ten digits are the time. */
function idAt(at: string): string {
  return `${lowestId('act', new Date(at)).slice(0, 'act_'.length + 10)}${newId('act').slice(-16)}`
}

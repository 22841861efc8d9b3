import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '#lib/db/sql.ts'
import { createOperatorFetch } from '#lib/net/operator-fetch.ts'
import { testClock } from '#lib/time/clock.ts'
import { type AgentPool, chatFromPool } from '#ports/agent-pool.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { startFakeChat } from '#test/outside/fake-chat.ts'
import { needs } from '#test/stores.ts'
import { until } from '#test/until.ts'
import { startReporting } from '#test/work/slots-processes.ts'
import { createChatModels } from '../chat/chat-models.ts'
import { agentPoolLoop, createAgentPool } from './pool.ts'

const clock = testClock(new Date('2026-03-01T12:00:00Z'))
let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database?.[Symbol.asyncDispose]())

function poolOf(limit: number, { lifetimeSeconds = 3600, timezone = 'UTC' } = {}) {
  const { db } = database
  return createAgentPool({ db, clock, limit, timezoneOf: async () => timezone, lifetimeSeconds })
}
type PoolReservation = Exclude<Awaited<ReturnType<AgentPool['reserve']>>, 'exhausted'>

const reserve = (pool: AgentPool, orgId: string, tokens: number) =>
  pool.reserve({ orgId, spender: 'check', reference: 'chk_a', tokens })

async function reserved(pool: AgentPool, orgId: string, tokens: number): Promise<PoolReservation> {
  const reservation = await reserve(pool, orgId, tokens)
  if (reservation === 'exhausted') throw new Error('exhausted')
  return reservation
}

async function days(orgId: string): Promise<string[]> {
  const rows = await database.db.query<{ day: string; tokens: number; is_closed: boolean }>(
    sql`select day, tokens, is_closed from ai.agent_pool_days where org_id = ${orgId} order by day`,
  )
  return rows.map(({ day, tokens, is_closed }) => `${day} ${tokens}${is_closed ? ' closed' : ''}`)
}

async function reservations(orgId: string) {
  return database.db.query<{ tokens: number; booked: number | null; is_lost: boolean }>(
    sql`select tokens, booked, is_lost from ai.agent_reservations where org_id = ${orgId} order by id`,
  )
}

const tick = () => agentPoolLoop(database).tick(clock.now(), new AbortController().signal)

describe('MA-08 the pool of an organization', () => {
  it('holds what is reserved and counts what was served', async () => {
    const pool = poolOf(100)
    const first = await reserved(pool, 'org_a', 60)
    expect(await reserve(pool, 'org_a', 41)).toBe('exhausted')
    const second = await reserved(pool, 'org_a', 40)
    await pool.settle(first, 10)
    expect(await days('org_a')).toEqual(['2026-03-01 50'])
    await pool.settle(second, 40)
    expect(await days('org_a')).toEqual(['2026-03-01 50'])
    await reserved(pool, 'org_a', 50)
    expect(await reserve(pool, 'org_a', 1)).toBe('exhausted')
    expect(await days('org_a')).toEqual(['2026-03-01 100'])
  })

  it('a request over the limit is exhausted before anything else was spent, and leaves no row', async () => {
    expect(await reserve(poolOf(100), 'org_large', 101)).toBe('exhausted')
    expect(await reserve(poolOf(0), 'org_large', 1)).toBe('exhausted')
    expect(await days('org_large')).toEqual([])
    expect(await reservations('org_large')).toEqual([])
  })

  it('organizations do not share one', async () => {
    await reserved(poolOf(100), 'org_b', 100)
    await reserved(poolOf(100), 'org_c', 100)
    expect(await reserve(poolOf(100), 'org_b', 1)).toBe('exhausted')
  })

  it('settling twice counts once', async () => {
    const pool = poolOf(100)
    const reservation = await reserved(pool, 'org_twice', 50)
    await pool.settle(reservation, 20)
    await pool.settle(reservation, 0)
    await pool.settle(reservation, 90)
    expect(await days('org_twice')).toEqual(['2026-03-01 20'])
  })

  it('a provider that serves more is booked in full and closes the day', async () => {
    const pool = poolOf(1000)
    const other = await reserved(pool, 'org_more', 50)
    await pool.settle(await reserved(pool, 'org_more', 100), 101)
    expect(await days('org_more')).toEqual(['2026-03-01 151 closed'])
    expect(await reserve(pool, 'org_more', 1)).toBe('exhausted')
    await pool.settle(other, 10)
    expect(await days('org_more')).toEqual(['2026-03-01 111 closed'])
    expect(await reserve(pool, 'org_more', 1)).toBe('exhausted')
    clock.advance(12 * 3_600_000)
    await reserved(pool, 'org_more', 1000)
    expect(await days('org_more')).toEqual(['2026-03-01 111 closed', '2026-03-02 1000'])
    clock.advance(-12 * 3_600_000)
  })

  it('begins anew with the day of the organization’s timezone; a settlement belongs to the day of its reservation', async () => {
    const pool = poolOf(100, { timezone: 'America/Los_Angeles' })
    const before = clock.now()
    clock.set(new Date('2026-03-02T07:59:00Z'))
    const late = await reserved(pool, 'org_zone', 100)
    expect(await reserve(pool, 'org_zone', 1)).toBe('exhausted')
    clock.set(new Date('2026-03-02T08:00:00Z'))
    await reserved(pool, 'org_zone', 70)
    await pool.settle(late, 30)
    expect(await days('org_zone')).toEqual(['2026-03-01 30', '2026-03-02 70'])
    clock.set(before)
  })

  it('is not refilled by a change of the timezone, to the east, to the west and back', async () => {
    let timezone = 'UTC'
    const pool = createAgentPool({ db: database.db, clock, limit: 100, timezoneOf: async () => timezone })
    await reserved(pool, 'org_moves', 100)
    for (const moved of ['Pacific/Kiritimati', 'Etc/GMT+12', 'UTC', 'Pacific/Kiritimati']) {
      timezone = moved
      expect([await reserve(pool, 'org_moves', 1), await pool.remaining('org_moves')]).toEqual(['exhausted', 0])
    }
    expect(await days('org_moves')).toEqual(['2026-03-01 100'])
    timezone = 'UTC'
    clock.advance(12 * 3_600_000)
    await reserved(pool, 'org_moves', 100)
    expect(await days('org_moves')).toEqual(['2026-03-01 100', '2026-03-02 100'])
    clock.advance(-12 * 3_600_000)
  })

  it('a reservation that nobody settles in time is booked in full', async () => {
    const pool = poolOf(100, { lifetimeSeconds: 0 })
    await reserved(pool, 'org_lost', 60)
    await tick()
    expect(await reservations('org_lost')).toEqual([{ tokens: 60, booked: 60, is_lost: true }])
    expect(await days('org_lost')).toEqual(['2026-03-01 60'])
    expect(await reserve(pool, 'org_lost', 41)).toBe('exhausted')
  })

  it.each([
    ['before the loop saw that it was lost', false],
    ['after the loop booked it', true],
  ])('a late settlement %s gives nothing back, and still counts more than was reserved', async (title, isBooked) => {
    const pool = poolOf(1000, { lifetimeSeconds: 0 })
    const less = await reserved(pool, title, 60)
    const more = await reserved(pool, title, 60)
    if (isBooked) await tick()
    await pool.settle(less, 10)
    expect(await days(title)).toEqual(['2026-03-01 120'])
    await pool.settle(more, 75)
    await pool.settle(more, 75)
    expect(await days(title)).toEqual(['2026-03-01 135 closed'])
    await tick()
    expect(await days(title)).toEqual(['2026-03-01 135 closed'])
  })

  it('an open reservation is not lost before its time', async () => {
    const pool = poolOf(100)
    const reservation = await reserved(pool, 'org_open', 60)
    await tick()
    await pool.settle(reservation, 10)
    expect(await reservations('org_open')).toEqual([{ tokens: 60, booked: 10, is_lost: false }])
  })

  it('days are deleted with their reservations after 90 days', async () => {
    await reserved(poolOf(100), 'org_old', 60)
    clock.advance(90 * 24 * 3_600_000)
    await tick()
    expect(await days('org_old')).toEqual(['2026-03-01 60'])
    clock.advance(24 * 3_600_000)
    await tick()
    expect([await days('org_old'), await reservations('org_old')]).toEqual([[], []])
    clock.advance(-91 * 24 * 3_600_000)
  })

  needs('postgres')('with many spenders', () => {
    it('20 at once that see two timezones begin one day', async () => {
      const pools = ['UTC', 'Pacific/Kiritimati'].map((timezone) => poolOf(100, { timezone }))
      const all = await Promise.all(Array.from({ length: 20 }, (_, n) => reserve(pools[n % 2]!, 'org_race', 10)))
      expect(all.filter((one) => one === 'exhausted')).toHaveLength(10)
      expect(await days('org_race')).toEqual([expect.stringMatching(/^2026-03-0[12] 100$/)])
    })

    it('20 at once reserve what fits and not one token more', async () => {
      const pool = poolOf(100)
      const all = await Promise.all(Array.from({ length: 20 }, () => reserve(pool, 'org_fits', 7)))
      expect(all.filter((one) => one === 'exhausted')).toHaveLength(6)
      expect(await days('org_fits')).toEqual(['2026-03-01 98'])
    })

    it('20 at once that settle with less never overspend by one token', async () => {
      const pool = poolOf(4000)
      const spend = async (place: number) => {
        let rounds = 0
        for (;;) {
          const reservation = await reserve(pool, 'org_many', 7 + (place % 5))
          if (reservation === 'exhausted') return rounds
          rounds++
          const [day] = await days('org_many')
          expect(Number(day!.split(' ')[1])).toBeLessThanOrEqual(4000)
          await pool.settle(reservation, reservation.id % (reservation.tokens + 1))
        }
      }
      const rounds = await Promise.all(Array.from({ length: 20 }, (_, place) => spend(place)))
      const booked = await reservations('org_many')
      expect(booked).toHaveLength(rounds.reduce((sum, count) => sum + count, 0))
      const sum = booked.reduce((total, row) => total + row.booked!, 0)
      expect(await days('org_many')).toEqual([`2026-03-01 ${sum}`])
    })

    it.each(['openai', 'anthropic'] as const)(
      '20 calls of a model at once (%s) are booked with what it served',
      async (kind) => {
        await using fake = await startFakeChat()
        await using outgoing = createOperatorFetch()
        const { baseUrl, apiKey } = fake
        const settings = {
          name: 'acme',
          baseUrl,
          apiKey,
          kind,
          models: undefined,
          outputLimitKey: 'max_tokens',
        } as const
        const model = createChatModels([settings], { outgoing }).find('acme/m')!
        const request = { messages: [{ role: 'user', text: 'hello' }], maxOutputTokens: 100 } as const
        const most = model.mostTokens(request)
        const pool = poolOf(most * 10)
        const call = (reference: string) =>
          chatFromPool(
            { pool, model },
            { orgId: kind, spender: 'check', reference },
            request,
            new AbortController().signal,
          )
        const gate = Promise.withResolvers<void>()
        fake.next.push(
          ...Array.from({ length: 10 }, (_, i) => ({ begin: gate.promise, usage: { input: 20, output: i } })),
        )
        const calls = Promise.all(Array.from({ length: 20 }, (_, i) => call(`chk_${i}`)))
        await until(() => fake.asked.length === 10)
        expect(await days(kind)).toEqual([`2026-03-01 ${most * 10}`])
        gate.resolve()
        expect((await calls).filter((answer) => answer === 'exhausted')).toHaveLength(10)
        expect(await days(kind)).toEqual(['2026-03-01 245'])
        fake.next.push({ usage: { input: most, output: 1 } })
        expect(await call('chk_more')).toMatchObject({ stopReason: 'stop' })
        expect(await days(kind)).toEqual([`2026-03-01 ${245 + most + 1} closed`])
        expect(await call('chk_closed')).toBe('exhausted')
      },
    )

    it('two processes share it to the token, and what a killed one had reserved stays booked in full', async () => {
      const args = [database.url!, 'org_killed', '20000', '100']
      await using dying = await startReporting('work/agent-pool-program.ts', [...args, 'hold'])
      await dying.seen('reserved', 3)
      await using crashing = await startReporting('work/agent-pool-program.ts', [...args, 'settle'])
      await using living = await startReporting('work/agent-pool-program.ts', [...args, 'settle'])
      await Promise.race([crashing.seen('settled', 20), living.seen('exhausted')])
      await Promise.all([dying.kill(), crashing.kill()])
      await living.seen('exhausted')
      const before = await reservations('org_killed')
      const open = before.filter(({ booked }) => booked === null)
      expect(open.length).toBeGreaterThanOrEqual(3)
      const total = before.reduce((sum, { tokens, booked }) => sum + (booked ?? tokens), 0)
      expect(total).toBeLessThanOrEqual(20_000)
      await database.db.query(
        sql`update ai.agent_reservations set expires_at = clock_timestamp() where org_id = 'org_killed'`,
      )
      await tick()
      const after = await reservations('org_killed')
      expect(after.filter(({ is_lost }) => is_lost)).toEqual(
        open.map(({ tokens }) => ({ tokens, booked: tokens, is_lost: true })),
      )
      const rows = await database.db.query(sql`select tokens from ai.agent_pool_days where org_id = 'org_killed'`)
      expect(rows).toEqual([{ tokens: total }])
    })
  })
})

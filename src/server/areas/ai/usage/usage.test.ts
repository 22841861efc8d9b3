import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { createMeter } from './usage.ts'

const clock = testClock(new Date('2026-03-01T12:00:00Z'))
const going = new AbortController().signal
let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database?.[Symbol.asyncDispose]())

const meterOf = (limit: number) => createMeter({ db: database.db, clock, limit })
const uses = (tokens: number) => async () => ({ tokens })

async function used(org_id: string) {
  const rows = await database.db.query<{ day: string; tokens: number }>(
    sql`select day, tokens from ai.gateway_usage where org_id = ${org_id} order by day`,
  )
  return rows.map(({ day, tokens }) => `${day} ${tokens}`)
}

describe('DS-24 the allowance of an organization', () => {
  it('is held while work runs, and counts what it used', async () => {
    const meter = meterOf(100)
    await meter.spend('org_a', 90, going, async () => {
      expect(await used('org_a')).toEqual(['2026-03-01 90'])
      await expect(meter.spend('org_a', 11, going, uses(1))).rejects.toMatchObject({ code: 'RATE_LIMITED' })
      return { tokens: 20 }
    })
    expect(await used('org_a')).toEqual(['2026-03-01 20'])
    expect(await meter.spend('org_a', 80, going, uses(80))).toEqual({ tokens: 80 })
    await expect(meter.spend('org_a', 1, going, uses(1))).rejects.toMatchObject({ retryAfterSeconds: 12 * 3600 })
  })

  it('more than a day’s worth is refused at once, and a limit of 0 refuses all', async () => {
    await expect(meterOf(100).spend('org_b', 101, going, uses(1))).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    await expect(meterOf(0).spend('org_b', 1, going, uses(1))).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    expect(await used('org_b')).toEqual([])
  })

  it('work that began before midnight is counted to its own day', async () => {
    await meterOf(100).spend('org_c', 50, going, async () => {
      clock.advance(12 * 3_600_000)
      return { tokens: 30 }
    })
    expect(await used('org_c')).toEqual(['2026-03-01 30'])
    clock.advance(-12 * 3_600_000)
  })

  it('a failed request is not counted, but an aborted one is', async () => {
    const failing = () => Promise.reject(new Error('fault'))
    await expect(meterOf(100).spend('org_d', 50, going, failing)).rejects.toThrow('fault')
    expect(await used('org_d')).toEqual(['2026-03-01 0'])
    await expect(meterOf(100).spend('org_d', 50, AbortSignal.abort(), failing)).rejects.toThrow('fault')
    expect(await used('org_d')).toEqual(['2026-03-01 50'])
  })
})

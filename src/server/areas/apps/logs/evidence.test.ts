import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '#lib/db/sql.ts'
import type { LogWindow } from '#ports/apps.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { createAppLogs } from './evidence-store.ts'

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
afterAll(() => opened?.[Symbol.asyncDispose]())

const NOON = new Date('2026-03-01T12:00:00.000Z')
const minutesBefore = (minutes: number) => new Date(NOON.getTime() - minutes * 60_000)
const window = (over: Partial<LogWindow> = {}): LogWindow => ({
  since: minutesBefore(15),
  until: NOON,
  words: [],
  level: null,
  ...over,
})
const write = async (appId: string, lines: [minutesAgo: number, text: string, level?: number, dropped?: number][]) => {
  for (const [minutes, text, level = 2, dropped = 0] of lines) {
    await opened.db.query(sql`
      insert into apps.logs (app_id, at, level, source, text, dropped)
      values (${appId}, ${minutesBefore(minutes)}, ${level}, 'app', ${text}, ${dropped})`)
  }
}
const logs = () => createAppLogs({ ...opened, limits: { lines: 20, bytes: 1000 } })

describe('the log of an app as evidence', () => {
  it('counts lines of the window that contain every word, in any case, at the level and above', async () => {
    await write('app_count', [
      [20, 'Payment DECLINED for 1'],
      [10, 'payment declined for 2', 4],
      [9, 'declined: a PAYMENT', 3],
      [8, 'payment accepted', 4],
      [0, 'payment declined at noon', 4],
    ])
    const count = async (over: Partial<LogWindow>) => (await logs().count('app_count', window(over))).count
    expect(await count({})).toBe(3)
    expect(await count({ words: ['payment', 'declined'] })).toBe(2)
    expect(await count({ words: ['payment', 'declined'], level: 'error' })).toBe(1)
    expect(await count({ words: ['.*'] })).toBe(0)
    expect(await logs().count('app_other', window())).toEqual({ count: 0, isComplete: true })
  })

  it('is not complete if lines of the window were dropped', async () => {
    await write('app_dropped', [
      [20, '3 lines were dropped', 3, 3],
      [10, 'hello'],
    ])
    expect(await logs().count('app_dropped', window())).toEqual({ count: 1, isComplete: true })
    await write('app_dropped', [[5, '7 lines were dropped', 3, 7]])
    expect(await logs().count('app_dropped', window())).toEqual({ count: 1, isComplete: false })
    expect(await logs().read('app_dropped', window(), 1000)).toMatchObject({
      lines: [{ text: 'hello' }],
      isComplete: false,
    })
  })

  it('is not complete if the window has more lines than are read', async () => {
    await opened.db.query(sql`
      insert into apps.logs (app_id, at, level, source, text)
      select 'app_many', ${minutesBefore(5)}::timestamptz, 2, 'app', 'line' from generate_series(1, 21)`)
    expect(await logs().count('app_many', window())).toEqual({ count: 20, isComplete: false })
    expect(await logs().count('app_many', window({ since: minutesBefore(3) }))).toEqual({ count: 0, isComplete: true })
  })

  it('is not complete if the window has more bytes than are read', async () => {
    await write('app_bytes', [
      [12, 'x'.repeat(600)],
      [11, 'y'.repeat(600)],
    ])
    expect(await logs().count('app_bytes', window())).toEqual({ count: 1, isComplete: false })
    await write('app_huge', [[11, 'y'.repeat(1200)]])
    expect(await logs().count('app_huge', window())).toEqual({ count: 0, isComplete: false })
    await write('app_long_ago', [
      [40, 'x'.repeat(600)],
      [30, 'y'.repeat(600)],
    ])
    expect(await logs().count('app_long_ago', window())).toEqual({ count: 0, isComplete: true })
  })

  it('gives the newest lines that fit, oldest of them first, and says if some did not', async () => {
    await write('app_read', [
      [20, 'too old'],
      [12, `first ${'x'.repeat(100)}`],
      [11, 'second', 4],
      [10, 'third'],
    ])
    expect(await logs().read('app_read', window(), 10_000)).toMatchObject({
      lines: [{ level: 'info' }, { text: 'second', level: 'error', at: minutesBefore(11) }, { text: 'third' }],
      isComplete: true,
    })
    const cut = await logs().read('app_read', window(), 200)
    expect(cut).toMatchObject({ lines: [{ text: 'second' }, { text: 'third' }], isComplete: false })
    expect(await logs().read('app_read', window({ since: minutesBefore(5) }), 200)).toEqual({
      lines: [],
      isComplete: true,
    })
  })
})

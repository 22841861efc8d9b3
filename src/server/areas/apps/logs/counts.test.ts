import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import { countLogs } from '#contract/apps/logs.ts'
import { testClock } from '#lib/time/clock.ts'
import { type System, startSystem } from '#test/system.ts'

const NOW = new Date('2026-03-01T12:10:00.000Z')

describe('CO-09 how many lines an app wrote when', () => {
  let system: System
  let client: ReturnType<System['client']>
  beforeAll(async () => {
    system = await startSystem({ clock: testClock(NOW) })
    const { token } = await system.member('developer')
    client = system.client(token)
    await client.call(createApp, { alias: 'counted' })
    const lines = [
      ['2026-03-01T12:00:00.000Z', 'info', 'GET / 200'],
      ['2026-03-01T12:00:01.000Z', 'info', 'GET / 200'],
      ['2026-03-01T12:09:59.000Z', 'error', 'GET /cart 500'],
    ].map(([at, level, text]) => JSON.stringify({ at, level, text }))
    const sent = await fetch(`${system.url}/api/deploy/deployments/counted/logs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
      body: lines.join('\n'),
    })
    expect(await sent.json()).toMatchObject({ accepted: 3 })
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  it('from the oldest line on, in parts of the time, by level', async () => {
    const { items, ...rest } = await client.call(countLogs, { alias: 'counted' })
    expect(rest).toEqual({ bucket_seconds: 15, counted_since: null })
    expect([items.length, items[0], items.at(-2)]).toEqual([
      41,
      { at: '2026-03-01T12:00:00.000Z', debug: 0, info: 2, warn: 0, error: 0 },
      { at: '2026-03-01T12:09:45.000Z', debug: 0, info: 0, warn: 0, error: 1 },
    ])
  })

  it('of those that match, within the time that is named', async () => {
    const found = await client.call(countLogs, {
      alias: 'counted',
      text: 'cart',
      since: '2026-03-01T12:09:58.000Z',
      until: '2026-03-01T12:10:00.000Z',
    })
    expect(found.items.map(({ error }) => error)).toEqual([0, 1, 0])
  })

  it('is empty for a time that ends before it begins, and for an app that wrote nothing', async () => {
    const times = { since: '2026-03-01T12:00:00.000Z', until: '2026-02-01T12:00:00.000Z' }
    expect((await client.call(countLogs, { alias: 'counted', ...times })).items).toEqual([])
    await client.call(createApp, { alias: 'silent' })
    const { items } = await client.call(countLogs, { alias: 'silent' })
    expect(items).toEqual([{ at: '2026-03-01T12:10:00.000Z', debug: 0, info: 0, warn: 0, error: 0 }])
  })
})

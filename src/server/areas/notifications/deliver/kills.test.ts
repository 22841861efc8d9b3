import { expect, it } from 'vitest'
import { deliveryKills } from '#test/deliveries/delivery-kills.ts'
import { queueKills } from '#test/deliveries/queue-kills.ts'
import { needs } from '#test/stores.ts'

const SEED = 20_261_115

needs('postgres')('deliveries under kills, pauses and crashes', () => {
  // `npm run test:long` makes ten times as many kills.
  it('NO-07 no message is delivered twice and no event is lost, whenever workers and Postgres die', async () => {
    const report = await deliveryKills({ kills: 10, events: 2_000, seed: SEED })
    console.log(`notifications: ${JSON.stringify(report)}`)
    expect(report).toMatchObject({ kills: 10, pauses: 1, crashes: 1, duplicates: [], lost: [], untrue: [] })
    expect(report.events).toBeGreaterThanOrEqual(2_000)
    expect(report.unknown).toBeLessThanOrEqual(report.max_unknown)
    expect(report.unknown_by_sink).toBeLessThanOrEqual(report.resets)
    expect(report.states.sent).toBeGreaterThan(0)
  })

  // Shows that the schedule is hard enough: a queue that runs a job again when its worker is gone delivers twice.
  it('NO-07 the same schedule makes a queue that retries by lease deliver twice', async () => {
    const report = await queueKills({ kills: 10, events: 2_000, seed: SEED })
    console.log(`graphile-worker: ${JSON.stringify(report)}`)
    expect(report).toMatchObject({ kills: 10, pauses: 1, crashes: 1, lost: 0 })
    expect(report.duplicates).toBeGreaterThan(0)
  })
})

import { expect, it } from 'vitest'
import { subscriptionKills } from '#test/agents/subscription-kills.ts'
import { openTestDatabase } from '#test/database.ts'
import { needs } from '#test/stores.ts'

const SEED = 20_261_118

needs('postgres')('subscriptions under kills of the server', () => {
  // `npm run test:long` makes 100 kills among 1,000 events.
  it('NO-16 each client sees each notification once and in order, whenever the server dies', async () => {
    await using test = await openTestDatabase()
    const on = { db: test.db, databaseUrl: test.url! }
    const options = { kills: 2, events: 30, clients: 20, timedEvents: 1, seed: SEED }
    const report = await subscriptionKills(on, options)
    console.log(`subscriptions: ${JSON.stringify(report)}`)
    expect(report).toMatchObject({ kills: 2, events: 31, clients: 20, wrong: 0 })
    expect(report.connections).toBeGreaterThan(20)
  })
})

import { subscriptionKills } from '#test/agents/subscription-kills.ts'
import { openOwnDatabase } from '#test/programs/own-system.ts'

/** CI runs a fiftieth of this proof; `npm run test:long` runs it whole. */
const seed = Number(process.argv[2] ?? 20_261_118)
const MAX_P99_MS = 1_000

if (process.env.SVC_TEST_DATABASE_URL) {
  await using stack = new AsyncDisposableStack()
  const { db, databaseUrl } = await openOwnDatabase(stack)
  const options = { kills: 100, events: 1_000, clients: 20, timedEvents: 200, seed }
  const report = await subscriptionKills({ db, databaseUrl: databaseUrl! }, options)
  console.log(`subscriptions, seed ${seed}: ${JSON.stringify(report, null, 2)}`)
  if (report.wrong > 0 || report.latency_ms.p99 >= MAX_P99_MS) process.exitCode = 1
} else {
  console.log('subscriptions: skipped, needs Postgres, set SVC_TEST_DATABASE_URL')
}

import { openOwnDatabase } from '#test/programs/own-system.ts'
import { switchWithKills } from '#test/sources/switch-kills.ts'

/** The suite changes the model six times without the client; `npm run test:long` runs this. */
const seed = Number(process.argv[2] ?? 20_261_118)
const rounds = Number(process.argv[3] ?? 10)
const perSecond = Number(process.argv[4] ?? 100)

if (process.env.SVC_TEST_DATABASE_URL) {
  await using stack = new AsyncDisposableStack()
  const { db, databaseUrl } = await openOwnDatabase(stack)
  const report = await switchWithKills({ db, databaseUrl: databaseUrl! }, { rows: 3_000, rounds, perSecond, seed })
  console.log(`switch, seed ${seed}: ${JSON.stringify(report, null, 2)}`)
  const { mixed, failed, late, leftovers } = report
  if (mixed + failed + late + leftovers.length > 0) process.exitCode = 1
} else {
  console.log('switch: skipped, needs Postgres, set SVC_TEST_DATABASE_URL')
}

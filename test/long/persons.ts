import { openOwnDatabase } from '#test/programs/own-system.ts'
import { askAsPersons } from '#test/sources/person-questions.ts'

/** CI runs a fiftieth of this proof; `npm run test:long` runs it whole. */
const seed = Number(process.argv[2] ?? 20_261_118)
const triples = Number(process.argv[3] ?? 10_000)
const MIN_RECALL = 0.99

if (process.env.SVC_TEST_DATABASE_URL) {
  await using stack = new AsyncDisposableStack()
  const { db, databaseUrl } = await openOwnDatabase(stack)
  const report = await askAsPersons({ db, databaseUrl: databaseUrl! }, { triples, rows: 20_000, timed: 500, seed })
  console.log(`persons, seed ${seed}: ${JSON.stringify(report, null, 2)}`)
  const faults = report.foreign + report.wrongCounts + report.leftovers
  if (faults > 0 || report.recall < MIN_RECALL) process.exitCode = 1
} else {
  console.log('persons: skipped, needs Postgres, set SVC_TEST_DATABASE_URL')
}

import { testClock } from '#lib/time/clock.ts'
import { startOwnSystem } from '#test/programs/own-system.ts'
import { seeded } from '#test/seeded.ts'
import { makeTables, ROW_FAULTS, watchNights } from '#test/sources/watched-nights.ts'

/** CI runs this proof with few rows; `npm run test:long` runs it whole. */
const seed = Number(process.argv[2] ?? 20_261_118)
const rows = Number(process.argv[3] ?? 50_000)

if (process.env.SVC_TEST_DATABASE_URL) {
  const clock = testClock(new Date('2026-03-01T12:00:00.000Z'))
  const random = seeded(seed)
  // Before the system, whose connections would wait for this.
  const tables = makeTables(rows, random)
  await using system = await startOwnSystem({}, { clock })
  const report = await watchNights(system, clock, { tables, random })
  console.log(`vectors, ${rows} rows in each table, seed ${seed}: ${JSON.stringify(report, null, 2)}`)
  const { callable, not_callable } = report.found
  const missed = [
    ...ROW_FAULTS.filter((kind) => callable[kind] === undefined),
    ...ROW_FAULTS.filter((kind) => kind !== 'stale' && not_callable[kind] === undefined),
  ]
  if (missed.length > 0 || report.falseAlarms.length > 0) process.exitCode = 1
} else {
  console.log('vectors: skipped, needs Postgres, set SVC_TEST_DATABASE_URL')
}

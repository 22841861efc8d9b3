import { backupKills } from '#test/backup/backup-kills.ts'

/**
 * `node test/long/backup.ts [seed]`: 100 kills of backup, restore, verify and of the server that is backed up, on the
 * embedded default and, where SVC_TEST_DATABASE_URL names one, on Postgres. `--tenth` does a tenth of it, `--only=postgres`
 * one of the engines.
 */
const tenth = process.argv.includes('--tenth') ? 10 : 1
const seed = Number(process.argv.slice(2).find((word) => /^\d+$/.test(word)) ?? Math.floor(Math.random() * 1e6) + 1)
const amount = { kills: 100 / tenth, questions: 1_000 / tenth, flips: 200 / tenth, seed }
const only = process.argv.find((word) => word.startsWith('--only='))?.slice('--only='.length)
for (const engine of ['embedded', 'postgres'] as const) {
  if (only !== undefined && only !== engine) continue
  if (engine === 'postgres' && !process.env.SVC_TEST_DATABASE_URL) {
    console.log('backup of Postgres: skipped, needs Postgres, set SVC_TEST_DATABASE_URL')
    continue
  }
  const report = await backupKills({ engine, ...amount })
  console.log(`backup, ${engine}: ${JSON.stringify(report, null, 2)}`)
  const { failed, unusable, leftovers, sentAgain, unnoticed, different } = report
  if ([failed, unusable, leftovers, sentAgain, unnoticed].some(({ length }) => length > 0) || different > 0) {
    process.exitCode = 1
  }
}

import { expect, it } from 'vitest'
import { backupKills } from '#test/backup/backup-kills.ts'
import { stores } from '#test/stores.ts'

const SEED = 7
/**
 * Together a tenth of the 100 kills of `test/long/backup.ts`: a run of CI has both engines. A command on the embedded
 * engine opens several engines, so it has the fewest that kill a server under backup, which Postgres has not, and a restore.
 */
const KILLS = { embedded: 2, postgres: 8 }

it(`OP-05 backup, restore and verify can be killed at any moment and run again (${stores.postgres ? KILLS.postgres : KILLS.embedded} kills, seed ${SEED})`, async () => {
  const engine = stores.postgres ? 'postgres' : 'embedded'
  const report = await backupKills({ engine, kills: KILLS[engine], questions: 100, flips: 20, seed: SEED })
  console.log(`backup: ${JSON.stringify(report)}`)
  expect(report).toMatchObject({
    failed: [],
    unusable: [],
    leftovers: [],
    different: 0,
    sentAgain: [],
    unnoticed: [],
  })
})

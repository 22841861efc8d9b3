import { expect, it } from 'vitest'
import { backupKills } from '#test/backup/backup-kills.ts'
import { stores } from '#test/stores.ts'

const SEED = 7

it(`OP-05 backup, restore and verify can be killed at any moment and run again (a tenth of the kills, seed ${SEED})`, async () => {
  const engine = stores.postgres ? 'postgres' : 'embedded'
  const report = await backupKills({ engine, kills: 10, questions: 100, flips: 20, seed: SEED })
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

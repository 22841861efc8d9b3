import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { prepareBackupKills } from '#test/backup/backup-kills.ts'
import { stores } from '#test/stores.ts'

const SEED = 7
const engine = stores.postgres ? 'postgres' : 'embedded'
/**
 * Together a tenth of the 100 kills of `test/long/backup.ts`: a run of CI has both engines. A command on the embedded
 * engine opens several engines, so it has the fewest that kill a server under backup, which Postgres has not, and a restore.
 */
const KILLS = { embedded: 2, postgres: 8 }[engine]
const NO_FAULTS = { failed: [], unusable: [], leftovers: [] }

// Each step is a test of its own, so that a busy machine does not take them all to one limit.
describe(`backup, restore and verify, with ${KILLS} kills, seed ${SEED}`, () => {
  let proof: Awaited<ReturnType<typeof prepareBackupKills>>
  beforeAll(async () => {
    proof = await prepareBackupKills({ engine, questions: 100, flips: 20, seed: SEED })
  })
  afterAll(() => proof?.[Symbol.asyncDispose]())

  it('OP-05 leave nothing behind when nothing is killed', async () => {
    await proof.measure()
    expect(proof.faults).toEqual(NO_FAULTS)
  })

  it.each(Array.from({ length: KILLS }, (_, round) => round))(
    'OP-05 can be run again after kill %i at a random moment',
    async (round) => {
      await proof.kill(round)
      expect(proof.faults).toEqual(NO_FAULTS)
    },
  )

  it('OP-05 lose nothing, change nothing and send nothing twice, and a changed byte is found', async () => {
    const report = await proof.compare()
    console.log(`backup: ${JSON.stringify(report)}`)
    expect(report).toMatchObject({ ...NO_FAULTS, different: 0, sentAgain: [], unnoticed: [] })
  })
})

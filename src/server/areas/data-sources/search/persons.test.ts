import { expect, it } from 'vitest'
import { openTestDatabase } from '#test/database.ts'
import { askAsPersons } from '#test/sources/person-questions.ts'
import { needs } from '#test/stores.ts'

const SEED = 20_261_118

/** `test/long/persons.ts` asks fifty times as many questions. */
needs('postgres')('DS-28 questions of many persons on few connections', () => {
  it('find no row of another person, as many as there are, and leave no claim behind, whatever is interrupted', async () => {
    await using test = await openTestDatabase()
    const on = { db: test.db, databaseUrl: test.url! }
    const { recall, ratios, cancels, kills, interrupted, ...counts } = await askAsPersons(on, {
      triples: 200,
      rows: 4_000,
      timed: 20,
      seed: SEED,
    })
    console.log(`by person to without: ${JSON.stringify({ ratios, cancels, kills, interrupted, recall })}`)
    expect(counts).toEqual({ triples: 200, foreign: 0, wrongCounts: 0, leftovers: 0 })
    expect(recall).toBeGreaterThanOrEqual(0.99)
  })
})

import { expect, it } from 'vitest'
import { changeEmbedding } from '#contract/data-sources/embedding-change.ts'
import { openTestDatabase } from '#test/database.ts'
import { askUntil, startAsking } from '#test/sources/switch-questions.ts'
import { COLUMNS, literalOf, MODELS, type ModelName, startSwitchWorld } from '#test/sources/switch-world.ts'
import { needs } from '#test/stores.ts'
import { until } from '#test/until.ts'

const ROWS = 60
const SWITCHES = 6
const QUESTIONS_BETWEEN = 20

/** `test/long/switch.ts` does this with the client, at 100 questions a second and with kills. */
needs('postgres')('DS-27 a change of the model while two servers are asked', () => {
  it('every question is answered wholly by one of the models, and from then on by the new one', async () => {
    await using test = await openTestDatabase()
    await using world = await startSwitchWorld({ db: test.db, databaseUrl: test.url! }, ROWS)
    const vectors = Array.from({ length: ROWS }, (_, n) => `(${n}, ${literalOf('after', `row ${n}`)}::vector)`)
    await world.run(`alter table docs add column ${COLUMNS.after} vector(8);
      update docs set ${COLUMNS.after} = v.v from (values ${vectors.join(', ')}) v (id, v) where v.id = docs.id;
      create index on docs using hnsw (${COLUMNS.after} vector_cosine_ops)`)
    const asking = startAsking(world)
    const stop = new AbortController()
    const askers = Promise.all([1, 2, 3, 4].map(() => askUntil(asking, stop.signal)))
    const sideOf = (model: ModelName) => ({ column: COLUMNS[model], model: MODELS[model] })
    for (let n = 0; n < SWITCHES; n++) {
      const [from, to] = n % 2 === 0 ? (['before', 'after'] as const) : (['after', 'before'] as const)
      asking.setInUse(undefined)
      await world.client.call(changeEmbedding, {
        id: 'db_docs',
        table: 'public.docs',
        from: sideOf(from),
        to: { ...sideOf(to), dimensions: 8 },
      })
      asking.setInUse(to)
      const asked = asking.report.asked
      await until(() => asking.report.asked >= asked + QUESTIONS_BETWEEN)
    }
    stop.abort()
    await askers
    const { before, after, asked, ...faults } = asking.report
    expect(faults).toEqual({ mixed: 0, failed: 0, late: 0, faults: [] })
    expect([before > 0, after > 0, before + after === asked]).toEqual([true, true, true])
  })
})

import { expect, it } from 'vitest'
import { revokeWhileAsking } from '#test/agents/revocations.ts'
import { openTestDatabase } from '#test/database.ts'
import { needs } from '#test/stores.ts'

/** A tenth of what `npm run test:long` runs. */
const TENTH = { questions: 1_000, revocations: 5, seed: 20 }

needs('postgres', 'redis')('revocations among many questions to two processes', () => {
  it(`AU-09 AU-13 no call of a revoked agent, token or session is answered too late (seed ${TENTH.seed})`, async () => {
    await using database = await openTestDatabase()
    const { late, lost, revoked, questions } = await revokeWhileAsking(
      { db: database.db, databaseUrl: database.url },
      TENTH,
    )
    expect({ late, lost, revoked }).toEqual({ late: [], lost: [], revoked: { agent: 3, api_token: 1, session: 1 } })
    expect(questions).toBeGreaterThanOrEqual(TENTH.questions)
  })
})

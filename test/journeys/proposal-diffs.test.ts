import { afterAll, beforeAll, expect, it } from 'vitest'
import { reviewEdits } from '#test/apps/review/review-edits.ts'
import { type ConsoleVisits, startConsoleVisits } from '#test/browser/console-visit.ts'
import { needs } from '#test/stores.ts'

/** A tenth of the edits of `test/long/run.ts`. Few seeds bring edits that are refused for one reason only. */
const SEED = 7

needs('chromium')('MA-25 what a reviewer sees is what is deployed', () => {
  let visits: ConsoleVisits
  beforeAll(async () => {
    visits = await startConsoleVisits({ env: { SVC_ALLOW_PROCESS_DEPLOYS: 'true' } })
  })
  afterAll(() => visits?.[Symbol.asyncDispose]())

  it('API, client and console show every changed byte of random edits, or the edit is refused', async () => {
    const { system } = visits
    const { page, ...admin } = await visits.visit('admin', '/apps')
    const review = await reviewEdits({ system, page, admin }, { count: 100, seed: SEED })
    console.log(`proposals: ${JSON.stringify(review)}`)
    expect(review.faults).toEqual([])
    // Both kinds must be among them, or nothing is proven.
    expect(review.shown).toBeGreaterThan(20)
    expect(Object.keys(review.refused).length).toBeGreaterThan(2)
  })
})

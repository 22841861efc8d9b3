import { expect, it } from 'vitest'
import { type LastDeploy, nothingToRollBack } from './nothing-to-roll-back.ts'

const AT = new Date('2031-05-06T07:00:00Z')
const live: LastDeploy = { id: 'dep_1', revision_id: 'rev_1', state: 'live', live_at: AT }
const other = (state: LastDeploy['state'], live_at: Date | null = null): LastDeploy => ({
  id: 'dep_2',
  revision_id: 'rev_2',
  state,
  live_at,
})

it.each([
  [[], 'The app was never deployed, so there is nothing to roll back to. Deploy it first.'],
  [
    [live],
    'Revision rev_1 is live, and no other was live before it, so there is nothing to roll back to. Name a revision to deploy it.',
  ],
  [
    [live, other('failed')],
    'The deploy dep_2 failed and never became live. Revision rev_1 is still serving, and no other was live before it, so there is nothing to roll back to. Name a revision to deploy it.',
  ],
  [
    [live, other('building')],
    'The deploy dep_2 is building. Revision rev_1 is still serving, and no other was live before it, so there is nothing to roll back to. Name a revision to deploy it.',
  ],
  [
    [other('failed')],
    'The deploy dep_2 failed and never became live, and no other revision of this app was live, so there is nothing to roll back to. Name a revision to deploy it.',
  ],
  [
    [other('failed', AT)],
    'The deploy dep_2 failed after it was live, and no other revision of this app was live, so there is nothing to roll back to. Name a revision to deploy it.',
  ],
])('NO-03 a rollback without a former revision says what serves: %j', (deploys, message) => {
  expect(nothingToRollBack(deploys)).toBe(message)
})

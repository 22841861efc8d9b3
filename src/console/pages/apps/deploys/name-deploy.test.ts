import { expect, it } from 'vitest'
import { nameDeploy } from './name-deploy.ts'

it.each([
  ['deploy', 'Fix the basket', 'Fix the basket'],
  ['deploy', null, 'Deploy without a message'],
  ['proposal', 'An empty basket has no total', 'An empty basket has no total'],
  ['proposal', null, 'Approved change'],
  ['rollback', 'Fix the basket', 'Rolled back to Fix the basket'],
  ['rollback', null, 'Rolled back to rev_1'],
] as const)('CO-03 a %s of a revision with the message %j is named %j', (kind, revision_message, name) => {
  expect(nameDeploy({ kind, revision_id: 'rev_1', revision_message })).toBe(name)
})

import { expect, it } from 'vitest'
import { nameDeploy } from './name-deploy.ts'

it.each([
  ['deploy', 'Fix the basket', 'Fix the basket'],
  ['deploy', null, 'Deploy without a message'],
  ['proposal', 'An empty basket has no total', 'An empty basket has no total'],
  ['proposal', null, 'Approved change'],
  ['rollback', 'Fix the basket', 'Roll back to: Fix the basket'],
  ['rollback', null, 'Roll back'],
] as const)('CO-03 a %s of a revision with the message %j is named %j', (kind, revision_message, name) => {
  expect(nameDeploy({ kind, revision_message })).toBe(name)
})

import { expect, it } from 'vitest'
import { actionText, detailText, shortTarget, userIdsOf, withNames } from './audit-text.ts'

const ANNE = `usr_${'a'.repeat(26)}`
const BEN = `usr_${'b'.repeat(26)}`

it('CO-01 the audit log names users by name, wherever an entry mentions them', () => {
  const entry = { target: ANNE, detail: { people: [BEN], role: 'admin' } }
  expect(userIdsOf(entry)).toEqual([ANNE, BEN])
  expect(userIdsOf({ target: 'org_1', detail: { user_id: 'usr_short' } })).toEqual([])
  const text = detailText(entry.detail)
  expect(withNames(text, (id) => (id === BEN ? 'Ben' : '?'))).toBe('people=["Ben"] role=admin')
})

it.each([
  ['member.role_changed', 'Member: role changed'],
  ['data_source.person_settings_removed', 'Data source: person settings removed'],
  ['org.renamed', 'Organization: renamed'],
  ['token.created', 'API token: created'],
  ['something', 'Something'],
])('CO-01 the action %s is written as %s', (action, text) => {
  expect(actionText(action)).toBe(text)
})

it.each([
  [`chn_${'0'.repeat(22)}wxyz`, 'chn_…0000wxyz'],
  [ANNE, ANNE],
  ['shop', 'shop'],
])('CO-01 the target %s is written as %s', (target, text) => {
  expect(shortTarget(target)).toBe(text)
})

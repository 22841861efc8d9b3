import { expect, it } from 'vitest'
import { isFormer } from './is-former.ts'

it.each([
  ['retired', 'rev_1', true],
  ['retired', 'rev_2', false],
  ['failed', 'rev_1', false],
] as const)(
  'CO-03 while rev_2 is live, rolling back to a %s deploy of %s is offered: %j',
  (state, revision_id, offered) => {
    expect(isFormer({ state, revision_id }, { revision_id: 'rev_2' })).toBe(offered)
  },
)

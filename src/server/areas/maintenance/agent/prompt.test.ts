import { expect, it } from 'vitest'
import { AGENT_LIMITS } from './limits.ts'
import { rulesFor } from './prompt.ts'

it('MA-16 a model is asked for a test only where the operator allows tests', () => {
  expect(rulesFor(AGENT_LIMITS, true)).toContain('bring a test that shows the fault if one can')
  expect(rulesFor(AGENT_LIMITS, false)).not.toContain('npm test')
})

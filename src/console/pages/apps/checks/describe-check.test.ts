import { expect, it } from 'vitest'
import { CheckDefinition } from '#contract/checks/definition.ts'
import { describeCheck, describeInterval, showCheckState } from './describe-check.ts'

it.each([
  [{ kind: 'http', target: '/' }, 'GET / answers 200 to 399'],
  [{ kind: 'http', target: 'https://example.com/a', expected_status: 204 }, 'GET https://example.com/a answers 204'],
  [{ kind: 'log', level: 'error' }, 'at most 0 lines error or above in 15 minutes'],
  [
    { kind: 'log', text: 'backup done', min_count: 1, window_minutes: 60 },
    'at least 1 lines with “backup done” in 60 minutes',
  ],
  [{ kind: 'log', min_count: 1, max_count: 5 }, 'at least 1 and at most 5 lines in 15 minutes'],
])('CO-03 the check %j is described', (definition, text) => {
  expect(describeCheck(CheckDefinition.parse(definition))).toBe(text)
})

it.each([
  [{ state: 'pass', enabled: true }, 'success'],
  [{ state: 'pass', enabled: false }, 'plain'],
  [{ state: 'unknown', enabled: true }, 'unknown'],
  [{ state: 'indeterminate', enabled: true }, 'unknown'],
  [{ state: 'error', enabled: true }, 'attention'],
  [{ state: 'failing', enabled: true }, 'attention'],
  [{ state: 'fail', enabled: true }, 'failure'],
] as const)('CO-03 only a check that passes and is not paused is green: %j', (check, tone) => {
  expect(showCheckState(check).tone).toBe(tone)
})

it.each([
  [1, 'every minute'],
  [5, 'every 5 minutes'],
  [60, 'every hour'],
  [90, 'every 90 minutes'],
  [180, 'every 3 hours'],
  [1440, 'every day'],
])('CO-03 an interval of %d minutes is said as %j', (minutes, text) => {
  expect(describeInterval(minutes)).toBe(text)
})

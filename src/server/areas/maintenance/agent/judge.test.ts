import { expect, it } from 'vitest'
import { fingerprintOf } from '../detect/fingerprint.ts'
import { toSeen } from '../findings/record.ts'
import { factOf } from './facts.ts'
import { Finish } from './finish.ts'
import { judgeFinish, type RunKnowledge } from './judge.ts'

const cluster = (template: string, frames: { path: string; symbol: string | null }[] = []) => ({
  template,
  level: 'error',
  count: 3,
  first_at: '2026-01-01T00:00:00Z',
  last_at: '2026-01-01T00:00:00Z',
  frames,
})
const CART = { path: '/srv/app/src/cart.js', symbol: 'total' }
const logs = {
  clusters: [
    cluster('boom', [CART]),
    cluster('PORT is not set'),
    { ...cluster('old fault', [CART]), former_revision_id: 'rev_1' },
  ],
  is_complete: true,
}
const file = {
  path: 'src/rates.js',
  from_line: 1,
  to_line: 2,
  total_lines: 2,
  text: 'function rate() {}',
  is_complete: true,
}
const checks = {
  checks: [
    { name: 'home', state: 'fail', since: '2026-01-01T00:00:00Z' },
    { name: 'login', state: 'pass', since: '2026-01-01T00:00:00Z' },
  ],
}
const BOOM = { kind: 'error_in_code', path: 'src/cart.js', symbol: 'total', template: 'boom' } as const
const KNOWN = {
  facts: new Map([
    [1, factOf({ tool: 'log_templates', answer: { evidence_id: 1, ...logs } })],
    [2, factOf({ tool: 'check_states', answer: { evidence_id: 2, ...checks } })],
    [3, factOf({ tool: 'read_file', answer: { evidence_id: 3, ...file } })],
  ]),
  files: ['src/cart.js', 'src/rates.js', 'src/other.js'],
  detected: [{ ...BOOM, summary: 'An error.' }],
  stagedEdits: 0,
  stagedFiles: [],
}
const STAGED = { ...KNOWN, stagedEdits: 2, stagedFiles: ['src/cart.js', 'test/cart.test.js'] }
const judge = (given: object, knowledge: RunKnowledge = KNOWN) =>
  judgeFinish(Finish.parse({ verdict: 'finding', summary: 'Words of a model.', ...given }), knowledge)

it.each([
  [
    'an error with a stack trace',
    { kind: 'error_in_code', path: 'src/cart.js', template: 'boom', evidence: [1] },
    BOOM,
  ],
  ['the same under another kind', { kind: 'config', template: 'boom', evidence: [1] }, BOOM],
  [
    'a failing check',
    { kind: 'failing_check', check: 'home', path: 'src/rates.js', evidence: [2, 3] },
    { kind: 'failing_check', path: null, symbol: null, template: 'check home' },
  ],
  [
    'a missing setting',
    { kind: 'config', template: 'PORT is not set', evidence: [1] },
    { kind: 'config', path: null, symbol: null, template: 'PORT is not set' },
  ],
  [
    'a defect that no log shows',
    { kind: 'defect', path: 'src/rates.js', symbol: 'rate', evidence: [3] },
    { kind: 'defect', path: 'src/rates.js', symbol: 'rate', template: '' },
  ],
  [
    'a function that the file does not have',
    { kind: 'defect', path: 'src/rates.js', symbol: 'rateOfTheDay', evidence: [3] },
    { kind: 'defect', path: 'src/rates.js', symbol: null, template: '' },
  ],
] as const)('MA-09 %s has the fingerprint of what the evidence says', (_, given, identity) => {
  const judged = judge(given)
  if (!('finding' in judged)) throw new Error(JSON.stringify(judged))
  expect(toSeen(judged.finding).fingerprint).toBe(fingerprintOf(identity))
  expect(judged.finding.summary).toBe('Words of a model.')
})

it.each([
  [
    'a template that no cited line has',
    { kind: 'error_in_logs', template: 'bang', evidence: [1] },
    'invented_evidence',
  ],
  [
    'a template of evidence that is not cited',
    { kind: 'error_in_logs', template: 'boom', evidence: [2] },
    'invented_evidence',
  ],
  [
    'a template that only a former revision logged',
    { kind: 'error_in_code', path: 'src/cart.js', template: 'old fault', evidence: [1] },
    'bad_final',
  ],
  ['a check that passes', { kind: 'failing_check', check: 'login', evidence: [2] }, 'invented_evidence'],
  [
    'a check of evidence that is not cited',
    { kind: 'failing_check', check: 'home', evidence: [1] },
    'invented_evidence',
  ],
  ['a file that was not read', { kind: 'defect', path: 'src/other.js', evidence: [3] }, 'invented_evidence'],
  ['a file that is not there', { kind: 'defect', path: '../src/cart.js', evidence: [3] }, 'invented_evidence'],
  ['evidence that was not given', { kind: 'error_in_logs', template: 'boom', evidence: [1, 4] }, 'invented_evidence'],
  ['no place at all', { kind: 'error_in_logs', evidence: [1] }, 'bad_final'],
  ['no evidence', { kind: 'error_in_logs', template: 'boom', evidence: [] }, 'bad_final'],
  [
    'a summary that nobody sees',
    { kind: 'error_in_logs', template: 'boom', evidence: [1], summary: '\u2800\u200b \u{1d159}\n' },
    'bad_final',
  ],
  [
    'a change without an edit',
    { verdict: 'change', kind: 'error_in_logs', template: 'boom', evidence: [1] },
    'bad_final',
  ],
] as const)('MA-07 %s does not hold', (_, given, fault) => {
  expect(judge(given)).toMatchObject({ fault })
})

const CHANGE = { verdict: 'change', kind: 'error_in_logs', template: 'boom', evidence: [1] }

it('MA-16 a change names a test file that is staged, or none', () => {
  expect(judge({ ...CHANGE, test: 'test/cart.test.js' }, STAGED)).toMatchObject({ test: 'test/cart.test.js' })
  expect(judge(CHANGE, STAGED)).toMatchObject({ verdict: 'change', test: null })
  expect(judge({ ...CHANGE, test: '' }, STAGED)).toMatchObject({ verdict: 'change', test: null })
})

it.each([
  ['that is not staged', 'test/rates.test.js'],
  ['that is no test file', 'src/cart.js'],
])('MA-16 a test %s does not hold', (_, test) => {
  expect(judge({ ...CHANGE, test }, STAGED)).toMatchObject({ fault: 'bad_final' })
})

import { describe, expect, it } from 'vitest'
import { explainSkips } from './skip-reporter.ts'

const POSTGRES = 'needs Postgres, set SVC_TEST_DATABASE_URL'
const skip = (file: string, name: string, reason?: string) => ({ file, name, reason })

describe('what a run prints of skipped tests', () => {
  it('nothing where none was skipped', () => {
    expect(explainSkips([])).toEqual([])
  })

  it('each reason once, with the groups of tests it holds for', () => {
    expect(
      explainSkips([
        skip('a.test.ts', `a lease (skipped: ${POSTGRES}) > is taken once`, POSTGRES),
        skip('a.test.ts', `a lease (skipped: ${POSTGRES}) > runs out`, POSTGRES),
        skip('b.test.ts', `outer > at once (skipped: ${POSTGRES}) > one wins`, POSTGRES),
        skip('c.test.ts', 'is noted', 'the kernel forbids it'),
      ]),
    ).toEqual([
      'Skipped 3 tests: needs Postgres, set SVC_TEST_DATABASE_URL',
      '  a.test.ts > a lease (2)',
      '  b.test.ts > outer > at once (1)',
      'Skipped 1 test: the kernel forbids it',
      '  c.test.ts > is noted (1)',
    ])
  })

  it('a skip without a reason, by its name', () => {
    expect(explainSkips([skip('d.test.ts', 'outer > forgotten')])).toEqual([
      'Skipped 1 test: NO REASON GIVEN. Use needs() of test/help/stores.ts',
      '  d.test.ts > outer > forgotten (1)',
    ])
  })
})

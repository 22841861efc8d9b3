import { expect, it } from 'vitest'
import { statusOf } from './status.ts'

const NOW = new Date('2026-11-16T12:00:00Z')
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 24 * 3_600_000)

it.each([
  ['validating', 'rev_1', 'rev_2', 99, undefined, 'validating'],
  ['invalid', 'rev_1', 'rev_2', 99, undefined, 'invalid'],
  ['denied', 'rev_1', 'rev_2', 99, undefined, 'denied'],
  ['ready', 'rev_1', 'rev_1', 0, undefined, 'ready'],
  ['ready', 'rev_1', 'rev_1', 14, undefined, 'ready'],
  ['ready', 'rev_1', 'rev_1', 14.01, undefined, 'expired'],
  ['ready', 'rev_1', 'rev_2', 0, undefined, 'superseded'],
  ['ready', 'rev_1', 'rev_2', 15, undefined, 'superseded'],
  ['ready', 'rev_1', null, 0, undefined, 'superseded'],
  ['approved', 'rev_1', 'rev_1', 0, 'queued', 'deploying'],
  ['approved', 'rev_1', 'rev_1', 0, 'building', 'deploying'],
  ['approved', 'rev_1', 'rev_1', 0, 'starting', 'deploying'],
  ['approved', 'rev_1', 'rev_2', 99, 'live', 'deployed'],
  ['approved', 'rev_1', 'rev_3', 99, 'retired', 'deployed'],
  ['approved', 'rev_1', 'rev_1', 0, 'failed', 'deploy_failed'],
  ['approved', 'rev_1', 'rev_3', 0, 'superseded', 'superseded'],
  ['approved', 'rev_1', 'rev_1', 0, undefined, 'approved'],
] as const)(
  'MA-10 a proposal stored as %s of %s, with %s live after %d days and its deploy %s, is %s',
  (stored, baseRevisionId, liveRevisionId, days, deployState, expected) => {
    const facts = { stored, baseRevisionId, liveRevisionId, readyAt: daysAgo(days), deployState }
    expect(statusOf(facts, NOW)).toBe(expected)
  },
)

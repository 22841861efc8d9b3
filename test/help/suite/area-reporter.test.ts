import { describe, expect, it } from 'vitest'
import { areaOf, progressLine } from './area-reporter.ts'

describe('the report of a whole run', () => {
  it.each([
    ['src/server/areas/notifications/deliver/claim.test.ts', 'notifications'],
    ['src/server/process/start.test.ts', 'server'],
    ['src/lib/db/db.test.ts', 'lib'],
    ['src\\console\\call\\retry.test.ts', 'console'],
    ['test/journeys/connect.test.ts', 'test'],
  ])('counts %s to %s', (path, area) => {
    expect(areaOf(path)).toBe(area)
  })

  it('has a line for each area', () => {
    expect(progressLine('tickets', { files: 3, tests: 41, ms: 10_240 })).toBe(
      'done  tickets             3 files     41 tests   10.2 s',
    )
  })
})

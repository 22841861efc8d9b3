import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { type Floor, isMissed, lineOf } from '../bench/help/floors.ts'

const FLOORS: [floor: Floor, missed: boolean, line: string][] = [
  [{ name: 'recall', value: 0.99, atLeast: 0.99 }, false, 'kept  recall: 0.99 (at least 0.99)'],
  [{ name: 'recall', value: 0.98999, atLeast: 0.99 }, true, 'MISSED  recall: 0.98999 (at least 0.99)'],
  [{ name: 'recall', value: Number.NaN, atLeast: 0.99 }, true, 'MISSED  recall: NaN (at least 0.99)'],
  [{ name: 'bytes', value: 16_384, atMost: 16_384 }, false, 'kept  bytes: 16384 (at most 16384)'],
  [{ name: 'bytes', value: 16_385, atMost: 16_384 }, true, 'MISSED  bytes: 16385 (at most 16384)'],
  [{ name: 'bytes', value: Number.NaN, atMost: 16_384 }, true, 'MISSED  bytes: NaN (at most 16384)'],
]

describe('floors of the benchmarks', () => {
  it.each(FLOORS)('DS-15 DS-16 %j', (floor, missed, line) => {
    expect(isMissed(floor)).toBe(missed)
    expect(lineOf(floor)).toBe(line)
  })

  it.each([
    ['[{ name: "recall", value: 0.5, atLeast: 0.99 }]', 1],
    ['[{ name: "recall", value: 1, atLeast: 0.99 }]', 0],
    ['[]', 1],
  ])('DS-15 a run with the floors %s ends with %i', (floors, status) => {
    const script = `import { requireFloors } from './bench/help/floors.ts'; requireFloors(${floors})`
    const run = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
    expect(run.status).toBe(status)
    expect(run.stdout).toContain('floors')
  })

  it('DS-16 a tenth of the benchmark of shortening answers keeps its floors', () => {
    const run = spawnSync(process.execPath, ['bench/truncate/run.ts', '--tenth'], { encoding: 'utf8' })
    expect(run.stdout).toMatch(/kept {2}json, largest answer in bytes: \d+ \(at most 16384\)/)
    expect(run.stdout).toMatch(/kept {2}yaml, least filled: 0\.99\d* \(at least 0\.99\)/)
    expect(run.stdout).not.toContain('MISSED')
    expect(run.status).toBe(0)
  })
})

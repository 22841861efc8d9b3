import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')

/** Patterns that make a test depend on how fast the machine is, and what to write instead. */
const RULES = [
  [/\bvi\.wait(?:For|Until)\(/, 'gives up after a time: use until() of test/help/until.ts'],
  [/^\s*\}, [\d_]+,?\)$/m, 'a time limit of its own: the one in vitest.config.ts is for all tests'],
  [/\bconst SLOW = [\d_]+/, 'a time limit of its own: the one in vitest.config.ts is for all tests'],
  [/\{ timeout: [\d_]+ \}/, 'a time limit of its own: wait on a condition'],
  [/\bexpect\.poll\(/, 'gives up after a time: use until() of test/help/until.ts'],
  [/expect\((?:performance|Date)\.now\(\) - /, 'measures time: assert order and results'],
  [
    /\bsetDefaultTimeout\(0\)/,
    'hangs for minutes when a text changes: use openContext() of test/help/browser/chromium.ts',
  ],
  [/\bAbortSignal\.timeout\(/, 'gives up after a time: wait on a condition'],
] as const

function faultsIn(path: string, text: string): string[] {
  return RULES.filter(([pattern]) => pattern.test(text)).map(([, fault]) => `${path}: ${fault}`)
}

describe('no test depends on the speed of the machine', () => {
  it('none of the known ways to do so is used', () => {
    const paths = globSync(['src/**/*.test.{ts,tsx}', 'src/**/test-*.ts', 'test/**/*.ts'], { cwd: ROOT })
    const others = paths.filter((path) => !path.endsWith('waiting.test.ts'))
    expect(others.length).toBeGreaterThan(200)
    expect(others.flatMap((path) => faultsIn(path, readFileSync(join(ROOT, path), 'utf8')))).toEqual([])
  })

  it.each([
    ['await vi.waitFor(() => expect(n).toBe(1))', 'gives up after a time: use until() of test/help/until.ts'],
    ['const pids = await vi.waitUntil(find, 20_000)', 'gives up after a time: use until() of test/help/until.ts'],
    [
      "it('x', async () => {\n  await y()\n}, 60_000)",
      'a time limit of its own: the one in vitest.config.ts is for all tests',
    ],
    ['const SLOW = 120_000', 'a time limit of its own: the one in vitest.config.ts is for all tests'],
    ["describe('x', { timeout: 60_000 }, () => {})", 'a time limit of its own: wait on a condition'],
    ['await expect.poll(count).toBe(0)', 'gives up after a time: use until() of test/help/until.ts'],
    [
      'context.setDefaultTimeout(0)',
      'hangs for minutes when a text changes: use openContext() of test/help/browser/chromium.ts',
    ],
    ['expect(performance.now() - begun).toBeLessThan(2_000)', 'measures time: assert order and results'],
    ['await fetch(url, { signal: AbortSignal.timeout(500) })', 'gives up after a time: wait on a condition'],
  ])('planted: %j is found', (text, fault) => {
    expect(faultsIn('a.test.ts', text)).toEqual([`a.test.ts: ${fault}`])
  })
})

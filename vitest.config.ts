import { defineConfig } from 'vitest/config'
import { EMBEDDED_ONLY_TESTS, findStorelessTests } from './test/help/embedded-only.ts'
import { findTestsOfTheirOwnProcess } from './test/help/own-process.ts'
import { SkipReporter } from './test/help/skip-reporter.ts'

const results = process.env.SVC_TEST_RESULTS
const onStores = process.env.SVC_TEST_DATABASE_URL !== undefined
/** Ends a test that hangs. No test may need it: tests wait on conditions, and a busy machine only makes them later. */
const HANG_LIMIT_MS = 5 * 60_000

const include = ['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts']
const exclude = [
  'test/built/**',
  'node_modules/**',
  'dist/**',
  ...(onStores ? [...EMBEDDED_ONLY_TESTS, ...findStorelessTests()] : []),
]
const ownProcess = findTestsOfTheirOwnProcess()
const everywhere = {
  pool: 'forks',
  maxWorkers: 3,
  testTimeout: HANG_LIMIT_MS,
  hookTimeout: HANG_LIMIT_MS,
  teardownTimeout: HANG_LIMIT_MS,
} as const

export default defineConfig({
  test: {
    ...everywhere,
    globalSetup: 'test/help/global-setup.ts',
    reporters: ['default', new SkipReporter(), ...(results ? ['json'] : [])],
    ...(results && { outputFile: { json: results } }),
    projects: [
      { test: { ...everywhere, name: 'own-process', include: ownProcess, exclude, isolate: true } },
      // Files share two processes: to load the server again for each file would be a third of all processor time.
      { test: { ...everywhere, name: 'shared', include, exclude: [...exclude, ...ownProcess], isolate: false } },
    ],
  },
})

import { defineConfig } from 'vitest/config'
import { EMBEDDED_ONLY_TESTS, findStorelessTests } from './test/help/embedded-only.ts'
import { SkipReporter } from './test/help/skip-reporter.ts'

const results = process.env.SVC_TEST_RESULTS
const onStores = process.env.SVC_TEST_DATABASE_URL !== undefined
/** Ends a test that hangs. No test may need it: tests wait on conditions, and a busy machine only makes them later. */
const HANG_LIMIT_MS = 5 * 60_000

export default defineConfig({
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts'],
    exclude: [
      'test/built/**',
      'node_modules/**',
      'dist/**',
      ...(onStores ? [...EMBEDDED_ONLY_TESTS, ...findStorelessTests()] : []),
    ],
    globalSetup: 'test/help/global-setup.ts',
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: HANG_LIMIT_MS,
    hookTimeout: HANG_LIMIT_MS,
    teardownTimeout: HANG_LIMIT_MS,
    reporters: ['default', new SkipReporter(), ...(results ? ['json'] : [])],
    ...(results && { outputFile: { json: results } }),
  },
})

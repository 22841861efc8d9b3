import { defineConfig } from 'vitest/config'

const results = process.env.SVC_TEST_RESULTS

export default defineConfig({
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts'],
    exclude: ['test/built/**', 'node_modules/**', 'dist/**'],
    globalSetup: 'test/help/global-setup.ts',
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: results ? ['default', 'json'] : ['default'],
    ...(results && { outputFile: { json: results } }),
  },
})

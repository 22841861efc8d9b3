import { defineConfig, mergeConfig } from 'vitest/config'
import base from '../../vitest.config.ts'

/**
 * Screenshots of every page of the console, to look at. It is no test of CI:
 * `SVC_TEST_CHROMIUM=/usr/bin/chromium SVC_SCREENSHOTS=/tmp/looks npx vitest run --config test/looks/vitest.config.ts`
 */
const { projects: _, ...test } = base.test!
export default mergeConfig({ test }, defineConfig({ test: { include: ['test/looks/**/*.looks.ts'] } }))

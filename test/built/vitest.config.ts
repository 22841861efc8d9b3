import { defineConfig, mergeConfig } from 'vitest/config'
import base from '../../vitest.config.ts'

/** Tests of the release in `dist/`: run `npm run build` first. */
const { globalSetup: _, projects: __, ...test } = base.test!
export default mergeConfig({ test }, defineConfig({ test: { include: ['test/built/**/*.test.ts'] } }))

import { join } from 'node:path'
import type { BuildOptions } from 'esbuild'

/** Options of everything in a release that runs in Node. */
export const BUILD_OPTIONS: BuildOptions = {
  absWorkingDir: join(import.meta.dirname, '..'),
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  define: { SVC_BUNDLED: 'true' },
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
}

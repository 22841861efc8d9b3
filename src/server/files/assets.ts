import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isBundled, rootFolder } from '#lib/files/bundle.ts'

const PREPARED_SCHEMA = 'prepared-schema.tar.zst'
/** The package of the client in a build. */
export const CLIENT_FILE = 'client.tgz'

/** Places of the files that the server reads but does not import, in a checkout and in a release. */
export const assets = {
  /** Folder of the migrations of an area or of `lib`. */
  migrations: (area: string): string =>
    isBundled
      ? join(rootFolder, 'migrations', area)
      : join(rootFolder, 'src', area === 'lib' ? 'lib' : join('server', 'areas', area), 'migrations'),
  /** The built console, or undefined in a checkout where it was not built. */
  console: (): string | undefined => {
    const folder = isBundled ? join(rootFolder, 'console') : join(rootFolder, 'dist', 'console')
    return existsSync(join(folder, 'index.html')) ? folder : undefined
  },
  /** Files that the migrations change in the empty cluster. */
  preparedSchema: (): string =>
    isBundled ? join(rootFolder, PREPARED_SCHEMA) : join(rootFolder, 'src', 'server', PREPARED_SCHEMA),
  /** Sources of the agent skills in a checkout; in a release the published files. */
  skills: (): string => join(rootFolder, 'skills'),
  /** The checkout, which has the sources of the guides; in a release the rendered pages. */
  guides: (): string => (isBundled ? join(rootFolder, 'guides') : rootFolder),
  /** Source of the app that the first start deploys. */
  exampleApp: (): string => join(rootFolder, 'examples', 'hello'),
  /** Articles of the example data source, and their vectors. */
  exampleHandbook: (): string => join(rootFolder, 'examples', 'handbook'),
  /** The package of the client in a release; in a checkout the script that makes it. */
  client: (): string => join(rootFolder, isBundled ? CLIENT_FILE : join('scripts', 'pack-client.ts')),
  /** Folder in which an operator can put the executables of the client: that of the server's package. */
  clientExecutables: (): string =>
    isBundled ? join(rootFolder, '..', '..', '..') : join(rootFolder, 'dist', 'release'),
  packageJson: (): string => join(rootFolder, 'package.json'),
}

/** Entry points of threads and child processes. The build makes a file of each, which `workerEntry` finds. */
export const WORKERS = [
  'src/lib/db/embedded/embedded-worker.ts',
  'src/server/areas/apps/process/sandbox/inside.ts',
  'src/server/areas/apps/door/program/door-child.ts',
  'src/server/areas/apps/keeper/program/keeper-child.ts',
  'src/server/areas/databases/engine/embedded/engine-child.ts',
  'src/server/areas/databases/engine/embedded/dump-child.ts',
  'src/server/areas/ai/builtin/model-worker.ts',
  'src/server/areas/maintenance/proposals/validate/parse-worker.ts',
]

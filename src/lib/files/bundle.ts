import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

declare const SVC_BUNDLED: boolean | undefined
declare const SVC_STARTED_FROM_BUNDLE: boolean | undefined

/** True in a release, where the build joined all sources into one file and set `SVC_BUNDLED`. */
export const isBundled = typeof SVC_BUNDLED !== 'undefined' && SVC_BUNDLED

/** True where `npm start` joined the code of a checkout, in `dist/start/<id>`. Most other files are those of the checkout. */
const isStartBundle = typeof SVC_STARTED_FROM_BUNDLE !== 'undefined' && SVC_STARTED_FROM_BUNDLE

const own = dirname(fileURLToPath(import.meta.url))
/** The entries of threads and child processes of a release lie in a folder below that of the build. */
const here = isBundled && basename(own) === 'workers' ? dirname(own) : own

/**
 * Folder of the build that this process runs. It is complete and never changed: a later build makes another one, so that
 * a running process finds its own files. Undefined where the sources run as they are.
 */
export const buildFolder = isBundled || isStartBundle ? here : undefined

/** Folder that paths of files start from: the checkout, or in a release the folder of the build. */
export const rootFolder = isBundled ? here : join(here, '..', '..', '..')

/** Returns the file that a worker thread or child process runs, given the path of its source in the checkout. */
export function workerEntry(source: string): string {
  const built = `${basename(source, '.ts')}.js`
  if (isStartBundle) return join(here, built)
  return isBundled ? join(rootFolder, 'workers', built) : join(rootFolder, source)
}

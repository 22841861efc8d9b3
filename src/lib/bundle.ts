import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

declare const SVC_BUNDLED: boolean | undefined
declare const SVC_STARTED_FROM_BUNDLE: boolean | undefined

/** True in a release, where the build joined all sources into one file and set `SVC_BUNDLED`. */
export const isBundled = typeof SVC_BUNDLED !== 'undefined' && SVC_BUNDLED

const here = dirname(fileURLToPath(import.meta.url))
/** Folder that paths of files start from: the checkout, or in a release the folder of the bundle. */
export const rootFolder = isBundled ? here : join(here, '..', '..')

/** True where `npm start` joined the code of a checkout, in `dist/start/`. All other files are those of the checkout. */
const isStartBundle = typeof SVC_STARTED_FROM_BUNDLE !== 'undefined' && SVC_STARTED_FROM_BUNDLE

/** Returns the file that a worker thread or child process runs, given the path of its source in the checkout. */
export function workerEntry(source: string): string {
  const built = `${basename(source, '.ts')}.js`
  if (isStartBundle) return join(here, built)
  return isBundled ? join(rootFolder, 'workers', built) : join(rootFolder, source)
}

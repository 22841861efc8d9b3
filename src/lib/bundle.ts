import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

declare const SVC_BUNDLED: boolean | undefined

/** True in a release, where the build joined all sources into one file and set `SVC_BUNDLED`. */
export const isBundled = typeof SVC_BUNDLED !== 'undefined' && SVC_BUNDLED

const here = dirname(fileURLToPath(import.meta.url))
/** Folder that paths of files start from: the checkout, or in a release the folder of the bundle. */
export const rootFolder = isBundled ? here : join(here, '..', '..')

/** Returns the file that a worker thread or child process runs, given the path of its source in the checkout. */
export function workerEntry(source: string): string {
  return isBundled ? join(rootFolder, 'workers', `${basename(source, '.ts')}.js`) : join(rootFolder, source)
}

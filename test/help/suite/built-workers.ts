import { basename, join } from 'node:path'
import { inject } from 'vitest'

export { buildFolder, isBundled, rootFolder } from '../../../src/lib/files/bundle.ts'

/**
 * Takes the place of `workerEntry` in tests: returns the file that `npm start` runs. A child process has no cache, so it
 * would strip the types of its sources again at each start, which takes up to half of its processor time.
 */
export function workerEntry(source: string): string {
  return join(inject('workers'), `${basename(source, '.ts')}.js`)
}

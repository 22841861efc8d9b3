import { dirname, join } from 'node:path'
import { bundledServer } from '../../../scripts/server-bundle.ts'

/** The program `svc-server`, from the files that `npm start` runs: it loads in a quarter of the time of its sources. */
export const COMMAND_FILE = join(dirname(await bundledServer()), 'svc-server.js')

/**
 * The process that keeps apps while servers come and go. Arguments: the data folder, who started it, and a `Succession` if
 * it takes the place of a former program in the same process. It has none of the secrets of svc but the variables and
 * tokens of the apps that run.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildFolder } from '#lib/files/bundle.ts'
import { holdBuild } from '#lib/processes/build-users.ts'
import { PRINT_FORMAT, type Succession } from '../command.ts'
import type { StartedBy } from '../messages.ts'
import { STATE_FORMAT } from './hand-over.ts'
import { openKeeper } from './open-keeper.ts'

/** How often it looks whether its data folder is still there. */
const FOLDER_MS = 5_000

async function run(dataDir: string, startedBy: StartedBy, succession: Succession | undefined): Promise<void> {
  process.umask(0o077)
  if (buildFolder !== undefined) holdBuild(buildFolder)
  const keeper = await openKeeper(dataDir, startedBy, succession)
  process.on('SIGTERM', () => void keeper.shutDown())
  process.on('SIGINT', () => void keeper.shutDown())
  setInterval(() => {
    if (!existsSync(join(dataDir, 'keeper'))) process.exit(1)
  }, FOLDER_MS).unref()
}

const [dataDir = '', startedBy = 'server', mode] = process.argv.slice(2)
if (dataDir === PRINT_FORMAT) process.stdout.write(`${STATE_FORMAT}\n`)
else await run(dataDir, startedBy as StartedBy, mode === 'goes-on' || mode === 'went-back' ? mode : undefined)

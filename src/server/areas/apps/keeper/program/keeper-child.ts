/**
 * The process that keeps apps while servers come and go. Arguments: the data folder, and who started it. It has none of
 * the secrets of svc but the variables and tokens of the apps that run.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildFolder } from '#lib/files/bundle.ts'
import { holdBuild } from '#lib/processes/build-users.ts'
import type { StartedBy } from '../messages.ts'
import { openKeeper } from './open-keeper.ts'

/** How often it looks whether its data folder is still there. */
const FOLDER_MS = 5_000

process.umask(0o077)
if (buildFolder !== undefined) holdBuild(buildFolder)
const [dataDir = '', startedBy = 'server'] = process.argv.slice(2)
const keeper = await openKeeper(dataDir, startedBy as StartedBy)
process.on('SIGTERM', () => void keeper.shutDown())
process.on('SIGINT', () => void keeper.shutDown())
setInterval(() => {
  if (!existsSync(join(dataDir, 'keeper'))) process.exit(1)
}, FOLDER_MS).unref()

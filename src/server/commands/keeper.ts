import { resolve } from 'node:path'
import { ServiceError } from '#contract/core/errors.ts'
import { buildFolder } from '#lib/files/bundle.ts'
import { FolderInUse } from '#lib/files/folder-lock.ts'
import { holdBuild } from '#lib/processes/build-users.ts'
import { openKeeper } from '../areas/apps/index.ts'
import { readSettings } from '../config/config.ts'
import type { Environment } from '../config/reader.ts'

/** Keeps the apps of a data folder, as a service of its own, until a signal ends it and them. */
export async function runKeeper(env: Environment, print: (line: string) => void): Promise<void> {
  process.umask(0o077)
  if (buildFolder !== undefined) holdBuild(buildFolder)
  const dataDir = resolve(readSettings(env).dataDir)
  const keeper = await openKeeper(dataDir, 'operator').catch((error: unknown) => {
    if (!(error instanceof FolderInUse)) throw error
    throw new ServiceError(
      'CONFLICT',
      `A process keeps the apps of ${dataDir} already. If a server started it, stop the server, and start it after this command.`,
    )
  })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void keeper.shutDown())
  print(`Keeping the apps of ${dataDir}. Servers on this data folder can start and stop.`)
  await new Promise(() => {})
}

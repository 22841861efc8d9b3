import { chmod } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { isCluster, makeCluster } from '#lib/db/embedded/cluster.ts'
import { workerEntry } from '#lib/files/bundle.ts'
import type { FoundBubblewrap } from '#lib/processes/bubblewrap.ts'
import { endFormerProcess } from '#lib/processes/former-process.ts'
import { assertPlainFolder } from './engine-folder.ts'
import { EngineProcess } from './engine-process.ts'
import { stopped } from './engine-stopped.ts'
import { engineCommand, type Package } from './sandbox.ts'

type Settings = {
  memoryBytes: number
  /** The script of the engine's process. Tests use one that misbehaves. */
  script?: string
}

/** Long, because a start may have to replay the journal of a process that was killed. */
const START_MS = 120_000

/** Makes the folder of a new database from the empty cluster. Leaves an existing folder as it is. */
export async function makeFolder(folder: string): Promise<void> {
  if (!isCluster(folder)) await makeCluster(folder)
}

/** Starts the engine of the database in `folder`, inside bubblewrap where that works. */
export function engineStarter({ memoryBytes, script }: Settings, sandbox: () => Promise<FoundBubblewrap>) {
  const packages = enginePackages()
  return async (folder: string): Promise<EngineProcess> => {
    const found = await sandbox()
    if (!isCluster(folder)) throw stopped.notStarted('its folder is gone')
    await endFormerProcess(`${folder}.pid`)
    await assertPlainFolder(folder).catch((error: Error) => {
      throw stopped.notStarted(error.message)
    })
    // The engine makes its files open to all, so nobody else may pass through the folder.
    await chmod(folder, 0o700)
    const places = {
      node: process.execPath,
      script: script ?? workerEntry('src/server/areas/databases/engine/embedded/engine-child.ts'),
      folder,
      ...packages,
    }
    const command = engineCommand(places, 'bubblewrap' in found ? found.bubblewrap : undefined)
    return EngineProcess.start({ command, pidFile: `${folder}.pid`, memoryBytes, startMs: START_MS })
  }
}

export function enginePackages() {
  return { pglite: packageOf('@electric-sql/pglite'), pgvector: packageOf('@electric-sql/pglite-pgvector') }
}

/** Returns a package's folder and its module for `import`, which lies beside the one for `require`. */
export function packageOf(name: string): Package {
  const entry = createRequire(import.meta.url).resolve(name)
  return { folder: dirname(dirname(entry)), entry: entry.replace(/\.cjs$/, '.js') }
}

import { existsSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { packFolder } from '#lib/archive/folder-tar.ts'
import { openEmbedded } from '#lib/db/embedded/embedded.ts'
import { copyFolder } from '#lib/files/copy-folder.ts'
import { checkWritable } from '#lib/files/data-folder.ts'
import { folderBytes } from '#lib/files/folder-bytes.ts'
import { FolderInUse, lockFolder } from '#lib/files/folder-lock.ts'
import { endFormerProcess } from '#lib/processes/former-process.ts'
import { EMBEDDED_PART } from '../../areas/databases/dump/index.ts'
import type { Settings } from '../../config/config.ts'
import { askServer, type ControlRequest } from '../../process/control-socket.ts'
import { requireDatabase } from '../../process/data-folder.ts'
import { findSecrets } from '../../process/first-start/embedded-secrets.ts'
import { openCopies } from './embedded-copies.ts'
import { readFacts } from './platform-facts.ts'
import { PORT_FILE } from './port-file.ts'
import type { BackupSource } from './source.ts'

/** Files of the data folder without which a restored installation would differ. */
const FILES = ['first-run.json', 'app-limits.json', PORT_FILE, 'example-made', 'example-app-made']
/** A server that starts or stops has the folder and no socket yet, or none any more. */
const MAX_TRIES = 60
const RETRY_MS = 500

/**
 * Backs up the embedded default. The server, if one runs, copies the files of each database while it does not use them;
 * everything else is done here.
 */
export async function openEmbeddedSource({ dataDir, secrets }: Settings): Promise<BackupSource> {
  requireDatabase(dataDir)
  const staging = await openCopies(dataDir)
  const isThere = (name: string) => existsSync(join(dataDir, name))
  return {
    engine: 'embedded',
    secrets: { ...findSecrets(dataDir), ...secrets },
    files: Object.fromEntries(FILES.filter(isThere).map((name) => [name, readFileSync(join(dataDir, name), 'utf8')])),
    async savePlatform(write) {
      const copy = join(staging.path, 'platform')
      await copyFiles(dataDir, { do: 'copy-platform', to: copy }, join(dataDir, 'db'))
      const facts = await factsOf(copy)
      await write('files', packFolder(copy))
      await rm(copy, { recursive: true })
      return facts
    },
    async saveDatabase({ physical_name: physicalName }, write) {
      const copy = join(staging.path, physicalName)
      const folder = join(dataDir, 'databases', physicalName)
      if (!existsSync(folder)) return false
      try {
        await copyFiles(dataDir, { do: 'copy-database', physicalName, to: copy }, folder)
      } catch (error) {
        if (!existsSync(folder)) return false
        throw error
      }
      await write(EMBEDDED_PART, packFolder(copy))
      await rm(copy, { recursive: true })
      return true
    },
    [Symbol.asyncDispose]: () => staging[Symbol.asyncDispose](),
  }
}

/** Lets the server copy, or copies while it cannot start. */
async function copyFiles(
  dataDir: string,
  request: Exclude<ControlRequest, { do: 'restart' }>,
  folder: string,
): Promise<void> {
  await checkWritable(dataDir, await folderBytes(folder))
  for (let tries = 1; ; tries++) {
    if (await askServer(dataDir, request)) return
    try {
      using _lock = lockFolder(dataDir)
      // The engine of a database can outlive a server that was killed.
      await endFormerProcess(`${folder}.pid`)
      await rm(request.to, { recursive: true, force: true })
      await copyFolder(folder, request.to)
      return
    } catch (error) {
      if (!(error instanceof FolderInUse) || tries === MAX_TRIES) throw error
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}

/** Reads the copy, which is what the archive will hold. Opening it also replays its log. */
async function factsOf(folder: string) {
  await using db = await openEmbedded({ folder, onError: () => undefined })
  return await readFacts(db)
}

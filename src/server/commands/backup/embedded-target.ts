import { existsSync, readdirSync } from 'node:fs'
import { mkdir, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { json } from 'node:stream/consumers'
import { ServiceError } from '#contract/core/errors.ts'
import { unpackFolder } from '#lib/archive/folder-tar.ts'
import type { ReadPart } from '#lib/archive/read-archive.ts'
import { openEmbedded } from '#lib/db/embedded/embedded.ts'
import { writePrivate } from '../../process/first-start/embedded-secrets.ts'
import { finishRestore } from './finish-restore.ts'
import { databasePartOf, type Manifest, PARTS } from './manifest.ts'
import { PORT_FILE } from './port-file.ts'
import type { RestoreTarget } from './target.ts'

/**
 * Restores the embedded default into a folder beside the data folder, which gets its name at the end only: a restore that
 * is interrupted leaves nothing that a server would start on.
 */
export async function openEmbeddedTarget(
  dataDir: string,
  manifest: Manifest,
  { keepPort = false } = {},
): Promise<RestoreTarget> {
  const folder = resolve(dataDir)
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new ServiceError('CONFLICT', `${folder} is not empty. Restore into an empty folder: set SVC_DATA_DIR.`)
  }
  const work = `${folder}.restoring`
  await rm(work, { recursive: true, force: true })
  await mkdir(work, { recursive: true, mode: 0o700 })
  const names = new Map(
    manifest.databases.map(({ id, state, physical_name }) => [state === 'saved' ? id : '', physical_name]),
  )
  const take = async ({ name, content }: ReadPart): Promise<void> => {
    if (name === PARTS.secrets) writePrivate(join(work, 'secrets.json'), await json(content))
    if (name === PARTS.files) await writeFiles(work, filesOf((await json(content)) as Record<string, string>, keepPort))
    if (name === `${PARTS.platform}/files`) await unpackFolder(content, join(work, 'db'))
    const physicalName = names.get(databasePartOf(name)?.id ?? '')
    if (physicalName !== undefined) await unpackFolder(content, join(work, 'databases', physicalName))
  }
  return {
    place: folder,
    take,
    async finish() {
      const result = await settle(join(work, 'db'), manifest)
      if (existsSync(folder)) await rmdir(folder)
      await rename(work, folder)
      return result
    },
    [Symbol.asyncDispose]: () => rm(work, { recursive: true, force: true }),
  }
}

async function settle(folder: string, manifest: Manifest) {
  await using db = await openEmbedded({ folder, onError: () => undefined })
  return await finishRestore(db, manifest)
}

/** Without the port of the original, which may run on this machine: clients of the one would write to the other. */
function filesOf({ [PORT_FILE]: port, ...files }: Record<string, string>, keepPort: boolean): Record<string, string> {
  return keepPort && port !== undefined ? { ...files, [PORT_FILE]: port } : files
}

async function writeFiles(work: string, files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = join(work, name)
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(file, text, { mode: 0o600 })
  }
}

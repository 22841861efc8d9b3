import { randomUUID } from 'node:crypto'
import type { ArchiveWriter } from '#lib/archive/write-archive.ts'
import { messageOf } from '#lib/message-of.ts'
import { printIfSlow } from '../../process/first-start/progress.ts'
import { FORMAT, type Head, PARTS, type SavedDatabase } from './manifest.ts'
import type { Facts, KnownDatabase } from './platform-facts.ts'
import type { BackupSource, WritePart } from './source.ts'

type Print = (line: string) => void
type Result = {
  readonly databases: readonly SavedDatabase[]
  readonly facts: Facts
  /** Bytes of all parts as they are stored. */
  readonly storedBytes: number
}
type Report = {
  readonly version: string
  readonly now: Date
  readonly print: Print
  /** Shows what takes long while it is being saved. */
  readonly progress: Print
}

const MB = 1024 ** 2

/**
 * Writes a backup. The platform's database is saved first and decides what belongs to the backup. A managed database that
 * cannot be saved is named as failed and does not keep the others from being saved.
 */
export async function makeBackup(
  source: BackupSource,
  archive: ArchiveWriter,
  { version, now, print, progress }: Report,
): Promise<Result> {
  const { engine } = source
  const head: Head = { format: FORMAT, id: randomUUID(), version, engine, created_at: now.toISOString() }
  await archive.write(PARTS.head, JSON.stringify(head))
  await archive.write(PARTS.secrets, JSON.stringify(source.secrets))
  await archive.write(PARTS.files, JSON.stringify(source.files))
  const sized = counted(archive)
  const savePlatform = () => source.savePlatform((name, content) => sized.write(`${PARTS.platform}/${name}`, content))
  const facts = await printIfSlow('saving the database of svc', savePlatform, progress)
  print(`The database of svc: ${sized.take()}`)
  const databases: SavedDatabase[] = []
  const ready = facts.databases.filter(({ state }) => state === 'ready')
  for (const [index, database] of ready.entries()) {
    const which = `Database ${index + 1} of ${ready.length}, ${database.name} (${database.id})`
    const save = () => saveDatabase(source, database, sized.write)
    const saved = await printIfSlow(`saving ${which}`, save, progress)
    databases.push(saved)
    print(`${which}: ${resultOf(saved, sized.take())}`)
  }
  await archive.end({ ...head, ...facts, databases })
  return { databases, facts, storedBytes: sized.stored() }
}

/** Sums the bytes of parts until they are taken. */
function counted(archive: ArchiveWriter) {
  let bytes = 0
  let storedBytes = 0
  const write: WritePart = async (name, content) => {
    const part = await archive.write(name, content)
    bytes += part.bytes
    storedBytes += part.stored_bytes
  }
  const take = () => {
    const text = megabytes(bytes)
    bytes = 0
    return text
  }
  return { write, take, stored: () => storedBytes }
}

export function megabytes(bytes: number): string {
  return `${(bytes / MB).toFixed(1)} MB`
}

async function saveDatabase(source: BackupSource, database: KnownDatabase, write: WritePart): Promise<SavedDatabase> {
  try {
    const writeOwn: WritePart = (part, content) => write(PARTS.database(database.id, part), content)
    const isThere = await source.saveDatabase(database, writeOwn)
    return { ...database, state: isThere ? 'saved' : 'dropped' }
  } catch (error) {
    return { ...database, state: 'failed', fault: messageOf(error) }
  }
}

function resultOf({ state, fault }: SavedDatabase, size: string): string {
  if (state === 'failed') return `NOT SAVED: ${fault}`
  return state === 'saved' ? size : 'was dropped meanwhile'
}

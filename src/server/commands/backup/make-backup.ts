import { randomUUID } from 'node:crypto'
import type { ArchiveWriter } from '#lib/archive/write-archive.ts'
import { messageOf } from '#lib/message-of.ts'
import { FORMAT, type Head, PARTS, type SavedDatabase } from './manifest.ts'
import type { Facts, KnownDatabase } from './platform-facts.ts'
import type { BackupSource, WritePart } from './source.ts'

type Print = (line: string) => void
type Result = { readonly databases: readonly SavedDatabase[]; readonly facts: Facts }

const MB = 1024 ** 2

/**
 * Writes a backup. The platform's database is saved first and decides what belongs to the backup. A managed database that
 * cannot be saved is named as failed and does not keep the others from being saved.
 */
export async function makeBackup(
  source: BackupSource,
  archive: ArchiveWriter,
  { version, now, print }: { version: string; now: Date; print: Print },
): Promise<Result> {
  const { engine } = source
  const head: Head = { format: FORMAT, id: randomUUID(), version, engine, created_at: now.toISOString() }
  await archive.write(PARTS.head, JSON.stringify(head))
  await archive.write(PARTS.secrets, JSON.stringify(source.secrets))
  await archive.write(PARTS.files, JSON.stringify(source.files))
  const sized = counted(archive)
  const facts = await source.savePlatform((name, content) => sized.write(`${PARTS.platform}/${name}`, content))
  print(`The database of svc: ${sized.take()}`)
  const databases: SavedDatabase[] = []
  const ready = facts.databases.filter(({ state }) => state === 'ready')
  for (const [index, database] of ready.entries()) {
    const saved = await saveDatabase(source, database, sized.write)
    databases.push(saved)
    print(`Database ${index + 1} of ${ready.length}, ${saved.name} (${saved.id}): ${resultOf(saved, sized.take())}`)
  }
  await archive.end({ ...head, ...facts, databases })
  return { databases, facts }
}

/** Sums the bytes of parts until they are taken. */
function counted(archive: ArchiveWriter) {
  let bytes = 0
  const write: WritePart = async (name, content) => {
    bytes += (await archive.write(name, content)).bytes
  }
  const take = () => {
    const text = `${(bytes / MB).toFixed(1)} MB`
    bytes = 0
    return text
  }
  return { write, take }
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

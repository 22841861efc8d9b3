import type { Readable } from 'node:stream'
import type { Secrets } from '../../config/secrets.ts'
import type { Facts, KnownDatabase } from './platform-facts.ts'

export type WritePart = (name: string, content: Readable | string) => Promise<unknown>

/** An installation that is backed up. */
export type BackupSource = AsyncDisposable & {
  readonly engine: 'embedded' | 'postgres'
  readonly secrets: Partial<Secrets>
  /** Small files of the data folder that belong to the installation, by name. */
  readonly files: Readonly<Record<string, string>>
  /** Saves the platform's database as of one moment, and returns what it knew at that moment. */
  savePlatform(write: WritePart): Promise<Facts>
  /** Saves a database of that moment. Returns false if it was dropped since. */
  saveDatabase(database: KnownDatabase, write: WritePart): Promise<boolean>
}

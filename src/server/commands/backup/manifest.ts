import type { Part } from '#lib/archive/part.ts'

/** The first part of a backup: as much as must be known before the rest can be read. */
export type Head = {
  /** 1: the digests of parts are of their contents. 2: of their contents as they are stored. */
  readonly format: 1 | 2
  readonly id: string
  /** The release that made it. */
  readonly version: string
  readonly engine: 'embedded' | 'postgres'
  readonly created_at: string
}

/** `dropped`: its owner dropped it while the backup was made. `failed`: it could not be saved, for `fault`. */
export type SavedDatabase = {
  readonly id: string
  readonly org_id: string
  readonly name: string
  readonly physical_name: string
  readonly state: 'saved' | 'dropped' | 'failed'
  readonly fault?: string
}

/** The last part of a backup. */
export type Manifest = Head & {
  /** Names of the migrations that its database has. */
  readonly migrations: readonly string[]
  /** Rows of each table of the platform. */
  readonly counts: Readonly<Record<string, number>>
  readonly databases: readonly SavedDatabase[]
  readonly parts: readonly Part[]
}

/** The format of new backups. Those of lower ones can be read too. */
export const FORMAT = 2
export const PARTS = {
  head: 'head.json',
  secrets: 'secrets.json',
  files: 'files.json',
  platform: 'platform',
  /** Name of a part of a managed database. */
  database: (id: string, part: string) => `databases/${id}/${part}`,
} as const

/** Returns the database and the part of it that a name means. */
export function databasePartOf(name: string): { id: string; part: string } | undefined {
  const [, id, part] = /^databases\/([\w-]+)\/([\w.-]+)$/.exec(name) ?? []
  return id === undefined || part === undefined ? undefined : { id, part }
}

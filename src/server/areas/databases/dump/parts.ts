import type { Readable } from 'node:stream'

/** Writes one part of a dump. */
export type WritePart = (name: string, content: Readable | string) => Promise<unknown>

/** The parts of a dump on Postgres, in the order they are written and restored. */
export const POSTGRES_PARTS = {
  schema: 'schema',
  rows: 'rows',
  counts: 'counts.json',
  settings: 'settings.json',
} as const

/** The one part of a dump of the embedded engine: the files of its folder. */
export const EMBEDDED_PART = 'files'

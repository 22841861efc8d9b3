import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type OutsideStatement, readOutsideStatements } from './index-statements.ts'
import { MigrationRefused } from './refusal.ts'

/** Whether code that lacks a migration can run on its result, and why (or why not). */
export type Verdict = { formerRelease: 'runs' | 'stops'; reason: string }

export type Migration = Verdict & {
  area: string
  name: string
  text: string
  checksum: string
  /** Checksums of former texts of the file, on whose result the migrations after it build as well. */
  formerChecksums?: readonly string[]
  /** Set in a file that runs outside a transaction: what it does, statement by statement. */
  outside?: readonly OutsideStatement[]
}

/** Reads the migrations of each area, areas in the order given, files in the order of their numbers. */
export function readMigrations(folders: readonly { area: string; folder: string }[]): Migration[] {
  return folders.flatMap(({ area, folder }) => {
    const names = readdirSync(folder).filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name))
    return names.sort().map((name) => toMigration(area, name, readFileSync(join(folder, name), 'utf8')))
  })
}

/** Throws MigrationRefused for a directive that is misspelt or stands in the wrong place. */
export function toMigration(area: string, name: string, text: string): Migration {
  const header = headerOf(text)
  const directives = header.filter((line) => line.startsWith('former release:'))
  const fault = (words: string) => new MigrationRefused(`${area}/${name}: ${words}`)
  if (directives.length > 1) throw fault('it says twice whether the former release runs')
  if (/^[ \t]*--[ \t]*(?:former release:|outside transaction$)/m.test(text.slice(headerLength(text)))) {
    throw fault('a directive must stand in the comment lines on top of the file')
  }
  const verdict = readVerdict(directives[0])
  if (!verdict) throw fault('write "-- former release: runs", or "-- former release: stops, " and the reason')
  const migration = { area, name, text, checksum: hash('sha256', text), ...verdict }
  if (!header.includes('outside transaction')) return migration
  const outside = readOutsideStatements(text)
  if (outside) return { ...migration, outside }
  throw fault(
    'outside a transaction only "create [unique] index concurrently if not exists <name> on <schema>.<table> …", ' +
      '"drop index concurrently if exists <schema>.<name>" and "alter table <schema>.<table> validate constraint <name>" can be repeated after a crash; move the rest elsewhere',
  )
}

/** Without a directive the former release counts as stopped: it refuses the schema, as every release once did. */
function readVerdict(line: string | undefined): Verdict | undefined {
  if (line === undefined) return { formerRelease: 'stops', reason: '' }
  const [, formerRelease, reason = ''] = /^former release: (runs|stops)(?:, (\S.*))?$/.exec(line) ?? []
  if (formerRelease === 'runs') return { formerRelease, reason }
  return formerRelease === 'stops' && reason !== '' ? { formerRelease, reason } : undefined
}

function headerOf(text: string): string[] {
  return text
    .slice(0, headerLength(text))
    .split('\n')
    .map((line) => line.replace(/^\s*--\s*/, '').trim())
}

/** The header is every comment line and empty line above the first statement. */
function headerLength(text: string): number {
  return /^(?:[ \t]*(?:--.*)?\r?\n)*/.exec(`${text}\n`)![0].length
}

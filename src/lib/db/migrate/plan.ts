import type { Migration, Verdict } from './file.ts'
import { MigrationRefused } from './refusal.ts'

/** A migration as the database remembers it. */
export type Applied = Verdict & { area: string; name: string; checksum: string }

export type Plan = {
  pending: Migration[]
  /** Migrations of a newer version, on whose result this version runs. */
  newer: Applied[]
}

/**
 * Compares the migrations of this version with those the database has. Throws MigrationRefused for a schema of a newer
 * version on which this one cannot run, and for a file that was edited after it was applied.
 */
export function planMigrations(migrations: readonly Migration[], applied: readonly Applied[]): Plan {
  const own = new Map(migrations.map((migration) => [nameOf(migration), migration]))
  const appliedNames = new Set(applied.map(nameOf))
  const newer = applied.filter((row) => !own.has(nameOf(row)))
  refuseStopping(newer.filter(({ formerRelease }) => formerRelease !== 'runs'))
  const edited = applied.find((row) => own.has(nameOf(row)) && !isSameFile(own.get(nameOf(row))!, row))
  if (edited) {
    throw new MigrationRefused(
      `The migration ${nameOf(edited)} was changed after it was applied. Add a new file instead of editing this one.`,
    )
  }
  const pending = migrations.filter((migration) => !appliedNames.has(nameOf(migration)))
  refuseMixture(pending, newer)
  return { pending, newer }
}

function isSameFile({ checksum, formerChecksums }: Migration, row: Applied): boolean {
  return row.checksum === checksum || formerChecksums?.includes(row.checksum) === true
}

export function nameOf({ area, name }: { area: string; name: string }): string {
  return `${area}/${name}`
}

function refuseStopping(stopping: readonly Applied[]): void {
  if (stopping.length === 0) return
  const lines = stopping.map((row) => `\n  - ${nameOf(row)}${row.reason && `: ${row.reason}`}`)
  throw new MigrationRefused(
    `A newer version migrated the database, and this version cannot run on the result of:${lines.join('')}\n` +
      'Start the newer version, or restore a backup from before it was installed.',
  )
}

/** The order of files is part of what was tested: what this version would add was never tested on the newer schema. */
function refuseMixture(pending: readonly Migration[], newer: readonly Applied[]): void {
  if (pending.length === 0 || newer.length === 0) return
  throw new MigrationRefused(
    `The database has ${list(newer)} of another version and lacks ${list(pending)} of this one. ` +
      'Start the version that migrated it, or a later one that has both.',
  )
}

function list(items: readonly { area: string; name: string }[]): string {
  return items.map(nameOf).join(', ')
}

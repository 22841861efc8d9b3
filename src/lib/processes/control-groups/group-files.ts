import { readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Setting } from './settings.ts'

export function writeSettings(folder: string, settings: readonly Setting[]): void {
  for (const { file, value, optional } of settings) {
    try {
      writeFileSync(join(folder, file), value)
    } catch (error) {
      if (!optional) throw error
    }
  }
}

/** Returns the text of a file, or an empty one where there is none. */
export function readGroupFile(folder: string, file: string): string {
  try {
    return readFileSync(join(folder, file), 'utf8')
  } catch {
    return ''
  }
}

/** Removes a group if nothing runs in it. Returns whether it is gone. */
export function removeGroup(folder: string): boolean {
  try {
    rmdirSync(folder)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

/**
 * Removes the groups below a folder in which nothing runs, and then the folder if nothing is left below it. `keep` has the
 * names of groups in which something is about to run.
 */
export function removeEmptyGroups(folder: string, keep: ReadonlySet<string> = new Set()): void {
  for (const name of foldersIn(folder)) if (!keep.has(name)) removeEmptyGroups(join(folder, name), keep)
  removeGroup(folder)
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
  } catch {
    return []
  }
}

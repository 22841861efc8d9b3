import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { MAX_FILE_BYTES, MAX_REVISION_BYTES, MAX_REVISION_FILES } from '#contract/apps/revisions.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { HintedError, usageError } from '../command/hinted-error.ts'
import { type IgnoreRules, isIgnored, withRulesOf } from './ignore-rules.ts'

/** A file of the folder that is sent. `path` is relative and separated by slashes on every platform. */
export type FoundFile = {
  readonly path: string
  readonly location: string
  readonly size: number
  readonly executable: boolean
}

const HOW_TO_LEAVE_OUT = 'Leave files out with .gitignore or .svcignore.'

/** Finds the files of a folder that belong to a revision: all but `.git` and what the ignore files leave out. */
export async function findFiles(folder: string) {
  await refuseMissingFolder(folder)
  const files: FoundFile[] = []
  // Links and special files, which cannot be sent.
  const skipped: string[] = []
  const visit = async (location: string, prefix: string, above: IgnoreRules): Promise<void> => {
    const rules = await withRulesOf(above, location, prefix)
    for (const entry of await sortedEntries(location)) {
      const path = prefix + entry.name
      if (entry.name === '.git' || isIgnored(rules, path, entry.isDirectory())) continue
      const place = join(location, entry.name)
      if (entry.isDirectory()) await visit(place, `${path}/`, rules)
      else if (entry.isFile()) files.push(await describe(path, place))
      else skipped.push(path)
      if (files.length > MAX_REVISION_FILES) throw tooMuch(`has more than ${MAX_REVISION_FILES} files`)
    }
  }
  await visit(folder, '', [])
  refuseTooLarge(files)
  return { files, skipped }
}

async function refuseMissingFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined)
  if (!found?.isDirectory()) throw usageError(`--dir must be a folder, and ${folder} is none.`)
}

async function sortedEntries(folder: string): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
}

async function describe(path: string, location: string): Promise<FoundFile> {
  // Node replaces bytes that are not UTF-8, and the file is then not found under that name.
  if (path.includes('\ufffd')) throw new ServiceError('INVALID_REVISION', `The name of ${path} is not valid UTF-8.`)
  const { size, mode } = await stat(location)
  return { path, location, size, executable: (mode & 0o111) !== 0 }
}

function refuseTooLarge(files: readonly FoundFile[]): void {
  if (files.length === 0) throw tooMuch('has no files to deploy')
  const large = files.filter(({ size }) => size > MAX_FILE_BYTES)
  if (large.length > 0) throw tooMuch(`has files over ${MAX_FILE_BYTES} bytes: ${namesOf(large)}`)
  const total = files.reduce((sum, { size }) => sum + size, 0)
  if (total > MAX_REVISION_BYTES) throw tooMuch(`has ${total} bytes; at most ${MAX_REVISION_BYTES} are accepted`)
}

function namesOf(files: readonly FoundFile[]): string {
  const shown = files.slice(0, 5).map(({ path }) => path)
  return files.length > shown.length ? `${shown.join(', ')} and ${files.length - shown.length} more` : shown.join(', ')
}

function tooMuch(what: string): HintedError {
  return new HintedError('INVALID_REVISION', `The folder ${what}.`, HOW_TO_LEAVE_OUT)
}

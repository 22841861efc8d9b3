import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { ServiceError } from '#contract/core/errors.ts'

/** Throws CONFLICT if the file has other content. A restore that was interrupted may have written the same. */
export function refuseOtherSecrets(file: string, lines: string): void {
  const present = readIfPresent(file)
  if (present === undefined || present === lines) return
  throw new ServiceError('CONFLICT', `${file} exists. Name another file for the secrets with --secrets-to.`)
}

/** Writes the secrets for their owner alone. A killed process leaves no file of that name, or the whole one. */
export function writeSecrets(file: string, lines: string): void {
  writeFileSync(`${file}.part`, lines, { mode: 0o600, flush: true })
  renameSync(`${file}.part`, file)
}

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

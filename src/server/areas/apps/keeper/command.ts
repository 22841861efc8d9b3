import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { workerEntry } from '#lib/files/bundle.ts'
import type { StartedBy } from './messages.ts'

/** It keeps the newest lines of each app, and little else. */
const HEAP = ['--no-warnings', '--max-old-space-size=256', '--max-semi-space-size=2']

/** Argument with which the program prints which state it can go on with, and does nothing else. */
export const PRINT_FORMAT = '--format'

/** The program of the keeper in this release. */
export function keeperEntry(): string {
  return workerEntry('src/server/areas/apps/keeper/program/keeper-child.ts')
}

/** Digest of the program, which tells releases apart. Read when it is asked for, because files can be replaced later. */
export function programDigest(): string {
  return hash('sha256', readFileSync(keeperEntry()))
}

/**
 * How a program of the keeper takes the place of another in the same process: `goes-on` as the next one, `went-back` as
 * the same one again, because the next one could not be executed.
 */
export type Succession = 'goes-on' | 'went-back'

export function keeperArguments(
  entry: string,
  dataDir: string,
  startedBy: StartedBy,
  succession?: Succession,
): string[] {
  return [...HEAP, entry, dataDir, startedBy, ...(succession ? [succession] : [])]
}

export function formatArguments(entry: string): string[] {
  return [...HEAP, entry, PRINT_FORMAT]
}

export function keeperEnvironment(): Record<string, string> {
  return { TMPDIR: tmpdir() }
}

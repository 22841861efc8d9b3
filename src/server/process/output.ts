import type { Writable } from 'node:stream'
import { showInvisible } from '#contract/core/show-invisible.ts'

/**
 * Prints a text to standard output and ends its line. Everything that the server and its commands show to an operator is
 * printed here: names and error texts can be a tenant's, and would otherwise move the cursor or forge other lines.
 */
export function printLine(text: string): void {
  process.stdout.write(`${printable(text)}\n`)
}

/** Returns standard output for bytes that are no text for a terminal, such as an archive that is piped elsewhere. */
export function byteOutput(): Writable {
  return process.stdout
}

/** Prints a text to standard error in the same way. */
export function printError(text: string): void {
  process.stderr.write(`${printable(text)}\n`)
}

/** Line ends stay, because messages of Postgres and of svc have several lines. */
function printable(text: string): string {
  return text.split('\n').map(showInvisible).join('\n')
}

/** Writes a line for a person who waits at a terminal. A file gets no such lines. */
export function printProgress(text: string): void {
  if (process.stderr.isTTY) printError(text)
}

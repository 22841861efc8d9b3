import { readFileSync } from 'node:fs'

/** Thrown when the process may open too few files. The message says what to do. */
export class TooFewOpenFiles extends Error {
  override readonly name = 'TooFewOpenFiles'
}

/** Open files that a server needs under an ordinary load: engines, apps, connections and the embedding model. */
const MIN_OPEN_FILES = 1_024

/**
 * Throws if the process may open too few files: it would become ready and then fail requests. Node has raised the soft
 * limit to the hard one before, so the hard limit is too low. Does nothing where the limit cannot be read.
 */
export function checkOpenFiles(limits: string = readLimits()): void {
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1]
  if (soft === undefined || Number(soft) >= MIN_OPEN_FILES) return
  throw new TooFewOpenFiles(
    `This process may open ${soft} files, and svc needs at least ${MIN_OPEN_FILES}. ` +
      'Raise the hard limit (ulimit -Hn, LimitNOFILE= of systemd, --ulimit nofile= of containers).',
  )
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return ''
  }
}

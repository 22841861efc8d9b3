import { DataKeyRefused } from '#lib/crypto/data-keys.ts'
import { CannotWrite } from '#lib/data-folder.ts'
import { DatabaseUnavailable, writeFaultOf } from '#lib/db/errors.ts'
import { MigrationRefused } from '#lib/db/migrate/refusal.ts'
import { FolderInUse } from '#lib/folder-lock.ts'
import { hideSecrets } from '#lib/log.ts'
import { ConfigError } from '../config/reader.ts'

/** Returns the message for a failed start. Only errors that the operator cannot correct come with a stack. */
export function startFault(error: unknown, at: { host: string; port: number; dataDir: string }): string {
  if (error instanceof ConfigError || error instanceof FolderInUse || error instanceof DataKeyRefused)
    return error.message
  if (error instanceof MigrationRefused) return withCause(error)
  if (error instanceof DatabaseUnavailable && error.writeFault) return `nothing can be saved: ${error.writeFault}`
  if (error instanceof DatabaseUnavailable) return `the database cannot be reached: ${reason(error)}`
  const writeFault = error instanceof CannotWrite ? error.message : writeFaultOf(error)
  if (writeFault) return `nothing can be written to ${at.dataDir}: ${writeFault}`
  const words = error instanceof Error && 'code' in error ? WORDS[String(error.code)] : undefined
  if (words) return words(at)
  return hideSecrets(error instanceof Error ? (error.stack ?? error.message) : String(error))
}

const WORDS: Record<string, (at: { host: string; port: number; dataDir: string }) => string> = {
  EADDRINUSE: ({ port }) => `port ${port} is in use: stop what runs there, or set PORT to another (0 takes a free one)`,
  EADDRNOTAVAIL: ({ host }) => `this machine has no address ${host}: set HOST to one it has`,
  EACCES: ({ port, dataDir }) => `not allowed to open port ${port} or to write to ${dataDir}`,
  EEXIST: ({ dataDir }) => `${dataDir} is not a folder: set SVC_DATA_DIR to one`,
  ENOTDIR: ({ dataDir }) => `${dataDir} is not a folder: set SVC_DATA_DIR to one`,
}

function withCause(error: Error): string {
  return error.cause instanceof Error ? `${error.message} (${hideSecrets(error.cause.message)})` : error.message
}

/** Returns the message of the innermost cause. A connection refused on several addresses is an AggregateError. */
function reason(error: Error): string {
  const { cause } = error
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return reason(cause.errors[0])
  return cause instanceof Error ? reason(cause) : hideSecrets(error.message)
}

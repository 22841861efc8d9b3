import { DataKeyRefused } from '#lib/crypto/data-keys.ts'
import { DatabaseUnavailable } from '#lib/db/errors.ts'
import { MigrationRefused } from '#lib/db/migrate/refusal.ts'
import { PoolerRefused } from '#lib/db/postgres-listener.ts'
import { CannotWrite } from '#lib/files/data-folder.ts'
import { FolderInUse } from '#lib/files/folder-lock.ts'
import { writeFaultOf } from '#lib/files/write-fault.ts'
import { hideSecrets } from '#lib/log/log.ts'
import { ConfigError } from '../config/reader.ts'
import { InstallationInUse } from './installation-lock.ts'
import { TooFewOpenFiles } from './open-files.ts'

/** Their messages say what happened and what to do. */
const REFUSALS = [ConfigError, FolderInUse, DataKeyRefused, InstallationInUse, TooFewOpenFiles]

/** Returns the message for a failed start. Only errors that the operator cannot correct come with a stack. */
export function startFault(error: unknown, at: { host: string; port: number; dataDir: string }): string {
  if (REFUSALS.some((refusal) => error instanceof refusal)) return (error as Error).message
  if (error instanceof MigrationRefused) return withCause(error)
  if (isPooler(error)) return POOLER
  if (error instanceof DatabaseUnavailable && error.writeFault) return `Nothing can be saved: ${error.writeFault}.`
  if (error instanceof DatabaseUnavailable) return `Cannot reach the database: ${reason(error)}. Check DATABASE_URL.`
  const writeFault = error instanceof CannotWrite ? error.message : writeFaultOf(error)
  if (writeFault) return `Cannot write to ${at.dataDir}: ${writeFault}.`
  const messageFor = error instanceof Error && 'code' in error ? MESSAGES[String(error.code)] : undefined
  if (messageFor) return messageFor(at)
  return hideSecrets(error instanceof Error ? (error.stack ?? error.message) : String(error))
}

const POOLER =
  'A connection pooler such as PgBouncer stands before Postgres. Set DATABASE_DIRECT_URL to the address of Postgres ' +
  'itself, and DATABASE_URL to the pooler. svc listens for notifications and holds locks that last as long as a connection.'

/** A pooler refuses settings in the first message of a connection, unless it is configured to ignore them. */
function isPooler(error: unknown): boolean {
  if (error instanceof PoolerRefused) return true
  if (!(error instanceof Error)) return false
  return /unsupported startup parameter/.test(error.message) || isPooler(error.cause)
}

const MESSAGES: Record<string, (at: { host: string; port: number; dataDir: string }) => string> = {
  EADDRINUSE: ({ port }) =>
    `Port ${port} is in use. Stop the program that uses it, or set PORT to another port (0 chooses a free one).`,
  EADDRNOTAVAIL: ({ host }) => `This machine has no address ${host}. Set HOST to one of its addresses.`,
  EACCES: ({ port, dataDir }) =>
    `Permission denied to listen on port ${port} or to write to ${dataDir}. Set PORT or SVC_DATA_DIR.`,
  EEXIST: ({ dataDir }) => `${dataDir} is not a folder. Set SVC_DATA_DIR to a folder.`,
  ENOTDIR: ({ dataDir }) => `${dataDir} is not a folder. Set SVC_DATA_DIR to a folder.`,
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

import { ServiceError } from '#contract/core/errors.ts'
import type { ServerSettings } from './servers.ts'

/** A server as the placement of a new database sees it. `bytes` is undefined when the server did not answer. */
export type ServerRoom = Pick<ServerSettings, 'name' | 'state' | 'maxDatabases' | 'maxBytes'> & {
  readonly databases: number
  readonly bytes: number | undefined
}

/** Stand for limits that are not set, so that servers with and without limits can be compared. They refuse nothing. */
const COMPARED_DATABASES = 1_000
const COMPARED_BYTES = 1_000 * 1024 ** 3

const RETRY_SECONDS = 10

/** Returns the server with the smallest part of its room in use. Throws if none has room or none with room answers. */
export function placeDatabase(servers: readonly ServerRoom[]): string {
  const open = servers.filter((server) => server.state === 'open' && !isFull(server))
  const [best] = open
    .filter(({ bytes }) => bytes !== undefined)
    .toSorted((a, b) => usedPart(a) - usedPart(b) || a.databases - b.databases)
  if (best) return best.name
  throw open.length === 0 ? noRoom() : noAnswer()
}

function isFull({ databases, bytes, maxDatabases, maxBytes }: ServerRoom): boolean {
  return (
    (maxDatabases !== undefined && databases >= maxDatabases) || (maxBytes !== undefined && (bytes ?? 0) >= maxBytes)
  )
}

function usedPart({ databases, bytes = 0, maxDatabases, maxBytes }: ServerRoom): number {
  return Math.max(databases / (maxDatabases ?? COMPARED_DATABASES), bytes / (maxBytes ?? COMPARED_BYTES))
}

function noRoom(): ServiceError {
  return new ServiceError(
    'DATABASE_LIMIT',
    'No Postgres server of this installation has room for another database. Drop a database, or ask the operator to add a server.',
  )
}

function noAnswer(): ServiceError {
  return new ServiceError('UNAVAILABLE', 'No Postgres server with room for another database answers now.', {
    retryAfterSeconds: RETRY_SECONDS,
  })
}

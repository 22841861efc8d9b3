import { ServiceError } from '#contract/core/errors.ts'
import type { ManagedEngine } from '../engine/engine.ts'
import type { Servers } from '../servers/servers.ts'

export type Admin = NonNullable<ManagedEngine['admin']> & {
  readonly engine: ManagedEngine
  /** Name of the server in SVC_DATABASE_SERVERS. */
  readonly name: string
}

/** The server a database is moved from, and the one it is moved to. */
export type Sides = { readonly from: Admin; readonly to: Admin }

/** The limit of one statement that reads catalogues, and of one that reads or analyzes whole tables. */
export const CHECK_LIMIT_MS = 30_000
export const SCAN_LIMIT_MS = 60 * 60_000

export function sidesOf(servers: Servers, names: { from_server: string; to_server: string }): Sides {
  return { from: adminOf(servers, names.from_server), to: adminOf(servers, names.to_server) }
}

function adminOf(servers: Servers, server: string): Admin {
  const engine = servers.engineOf({ server })
  if (engine.admin) return { ...engine.admin, engine, name: server }
  throw new ServiceError('CONFLICT', 'Databases of the embedded engine cannot be moved. Use Postgres (DATABASE_URL).')
}

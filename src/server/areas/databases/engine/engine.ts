import type { Duplex } from 'node:stream'
import type { CustomTypesConfig } from 'pg'
import type { Db } from '#lib/db/db.ts'
import type { Sql } from '#lib/db/sql.ts'
import type { EndBackend } from './overdue.ts'
import type { Entrance } from './postgres/entrance.ts'

/** A managed database as an engine sees it, without passwords. */
export type Managed = {
  physical_name: string
  owner_role: string
  reader_role: string
  owner_verifier: string
  reader_verifier: string
}

/** `idle`: its engine runs, or is a server that always does, and this process sees nobody wait for it. */
export type Activity = 'stopped' | 'busy' | 'idle'

/** The address of managed databases. `search` is the query string of their connection strings, with its `?`. */
export type Address = { host: string; port: number; search: string }

/** A standby of a server that answers questions while it is not too far behind. */
export type Replica = {
  readonly maxLagSeconds: number
  /** Returns its address, or undefined while it is away, was promoted, or is too far behind. */
  address(): Promise<Address | undefined>
  /** Asks it on the platform's connection after a question failed there, and stops using it for a moment if it is away. */
  failed(error: unknown): void
  /** Ends a session there whose answer came too late. */
  readonly endBackend: EndBackend
}

/** A role without lasting rights that a transaction of the owner acts as. */
export type PreviewRole = {
  readonly role: string
  /** Makes the session act as the role until the transaction ends. */
  readonly become: Sql
  /** Whether it is the role of questions itself, so that policies and rights that name that role hold for it too. */
  readonly isReader: boolean
}

/** The limit that svc gave to an owner before, and the one it gives now. */
export type OwnerLimitChange = { readonly from: number; readonly to: number }

/** Operations that differ between Postgres and the embedded engine. Each can be repeated after it failed half way. */
export type ManagedEngine = {
  readonly name: 'postgres' | 'embedded'
  /** How many databases there can be. Undefined: no limit. */
  readonly limit: number | undefined
  /** `ownerConnections` is how many the owner may have, by default as many as one owner ever may. */
  create(managed: Managed, ownerConnections?: number): Promise<void>
  /**
   * Gives a database that older code made the limits and settings of one made today. The worker calls it for each, and
   * every process before it first uses a reader. Absent where there is nothing to do.
   */
  readonly secure?: (managed: Managed) => Promise<void>
  /** Changes how many connections an owner may have. Returns false if the role has a limit that svc did not set. */
  readonly limitOwner?: (owner: Pick<Managed, 'owner_role'>, change: OwnerLimitChange) => Promise<boolean>
  /** Returns how many connections to the server there are for all roles. Absent where there is no server. */
  readonly connectionSlots?: () => Promise<number>
  /** Returns the role that previews of search configurations run as, which it creates where it is missing. */
  previewRole(managed: Managed): Promise<PreviewRole>
  /** Returns the bytes on disk of each database by its physical name, without those that cannot be told. Starts none. */
  sizesOf(physicalNames: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** Returns whether the engine of a database runs, and whether somebody uses it now. Absent where a server always runs. */
  readonly activityOf?: (physicalName: string) => Activity
  /** Returns the bytes of all databases on the server, measured at most a minute ago. Throws while it is away. */
  readonly usedBytes?: () => Promise<number>
  /** The connections of the platform's role to the server. Absent where there is no server. */
  readonly admin?: { readonly db: Db; readonly entrance: Entrance }
  /** A standby that answers questions. */
  readonly replica?: Replica
  /** Throws while the server cannot be reached. Absent where it is the platform's own or runs in this process. */
  readonly ping?: () => Promise<void>
  /** Ends a session whose answer came too late. Absent where the engine itself ends every statement in time. */
  readonly endBackend?: EndBackend
  /**
   * Copies the files of a database to a new folder, while no process has them open. Absent where there is a server, whose
   * databases are dumped.
   */
  readonly copyFiles?: (physicalName: string, to: string) => Promise<void>
  /**
   * Yields a dump of the database as SQL, made of a copy of its files. Absent where there is a server, whose databases
   * the programs of Postgres dump.
   */
  readonly dumpSql?: (physicalName: string, signal: AbortSignal) => AsyncIterable<Uint8Array>
  /** Ends its logins at once, before the work of removing it begins. */
  endLogins?(managed: Managed): Promise<void>
  /** Ends its logins and connections, then removes it with its roles. */
  drop(managed: Managed): Promise<void>
  /** The roles of dropped databases that a drop could not remove. Absent where a database takes its roles with it. */
  readonly leftRoles?: { find(): Promise<string[]>; remove(roles: readonly string[]): Promise<void> }
  /** The address for users. */
  publicAddress(): Promise<Address>
  /** The address for this process. */
  ownAddress(): Promise<Address>
  /** Opens a connection for this process without a socket. Absent: it connects to `ownAddress`. */
  readonly ownConnection?: () => Duplex
  /** Parsers for its answers, where the driver's own cannot be trusted with them. */
  readonly ownTypes?: CustomTypesConfig
  /** Returns what the operator of a server must change so that managed databases can be created and are isolated. */
  readonly serverWarnings?: () => Promise<readonly string[]>
  /** Returns what the operator and users who create a database should know about their isolation. */
  readonly warning?: () => Promise<string | undefined>
  close(): Promise<void>
}

/** Limits the owner's connections on a server, so that one tenant cannot take all of them. */
export const OWNER = { connections: 20 } as const

/** The limits of the reader's role: connections at once and the time of each statement. */
export const READER = { connections: 10, statementMs: 10_000, searchPath: 'pg_catalog' } as const

export function connectionString(
  address: Address,
  login: { role: string; password: string; database: string },
): string {
  const { host, port, search } = address
  return `postgresql://${login.role}:${login.password}@${host}:${port}/${login.database}${search}`
}

import type { Duplex } from 'node:stream'
import type { CustomTypesConfig } from 'pg'

/** What an engine needs to know of a managed database: never a password. */
export type Managed = {
  physical_name: string
  owner_role: string
  reader_role: string
  owner_verifier: string
  reader_verifier: string
}

/** Where managed databases are reached. `search` is what a connection string carries after its `?`. */
export type Address = { host: string; port: number; search: string }

/** What Postgres and the embedded engine differ in. Both may be asked again for what is half done. */
export type ManagedEngine = {
  readonly name: 'postgres' | 'embedded'
  /** How many databases there may be, if there is a bound. */
  readonly limit: number | undefined
  create(managed: Managed): Promise<void>
  /**
   * Gives a database that older code made the limits and settings of one made today. The worker calls it for each, and
   * every process before it first uses a reader. Absent where there is nothing to do.
   */
  readonly secure?: (managed: Managed) => Promise<void>
  /** Ends its logins at once, before the work of removing it begins. */
  endLogins?(managed: Managed): Promise<void>
  /** Ends its logins and connections, then removes it with its roles. */
  drop(managed: Managed): Promise<void>
  /** As users reach it. */
  publicAddress(): Promise<Address>
  /** As this process reaches it. */
  ownAddress(): Promise<Address>
  /** A way in for this process alone, where there is one; otherwise it connects to `ownAddress` like everybody. */
  readonly ownConnection?: () => Duplex
  /** How this process parses its answers, where the driver's own parsers cannot be trusted with them. */
  readonly ownTypes?: CustomTypesConfig
  /** What the operator of a server must change before managed databases can be created, or are kept apart. */
  readonly serverWarnings?: () => Promise<readonly string[]>
  /** What the operator and whoever creates a database should know about how they are kept apart. */
  readonly warning?: () => Promise<string | undefined>
  close(): Promise<void>
}

/** How many connections the owner of a database may have at once on a server, so that one cannot take them all. */
export const OWNER = { connections: 20 } as const

/** How long a question may run and how many of them at once; the role carries these too. */
export const READER = { connections: 10, statementMs: 10_000, searchPath: 'pg_catalog' } as const

export function connectionString(
  address: Address,
  login: { role: string; password: string; database: string },
): string {
  const { host, port, search } = address
  return `postgresql://${login.role}:${login.password}@${host}:${port}/${login.database}${search}`
}

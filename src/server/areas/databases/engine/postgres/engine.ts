import { ServiceError } from '#contract/core/errors.ts'
import type { Db } from '#lib/db/db.ts'
import { identifier, script, sql } from '#lib/db/sql.ts'
import { createBoundedCache, loadOnce } from '#lib/memory/bounded-cache.ts'
import { systemClock } from '#lib/time/clock.ts'
import { type Address, type Managed, type ManagedEngine, OWNER, READER } from '../engine.ts'
import { schemaGrants } from '../schema-grants.ts'
import { dropManaged, endLogins } from './drop.ts'
import { createEndBackend, endAbandoned } from './end-backend.ts'
import { ensureRole } from './ensure-role.ts'
import { createEntrance } from './entrance.ts'
import { findLeftRoles, leftRolesWarning, removeRoles } from './left-roles.ts'
import { closeDatabases, openDatabasesWarning } from './open-databases.ts'
import { connectionSlots, limitOwner, limitUnlimitedOwner } from './owner-limit.ts'
import { ensurePreviewRole } from './preview-role.ts'
import { quietReader, quietWarning } from './quiet-reader.ts'
import { isNotAllowed } from './states.ts'
import { ADMIN_LIMIT_MS, ensureTemplate, needSuperuser, onOwnDatabase, type Server, TEMPLATE } from './template.ts'

/** How long a measured size of the server is used, and how long measuring may take: it reads the files of each. */
const MEASURED_MS = 60_000
const MEASURE_LIMIT_MS = 30_000

type Options = {
  /** Connections to the server as the role that may create databases. */
  db: Db
  databaseUrl: string
  publicHost: string | undefined
  /** The setting that names the server and its role, for messages. */
  setting?: string
  /** Logs what the operator should change. */
  warn: (text: string) => void
}

/** Keeps managed databases on a Postgres server: each is a database with two roles. */
export function createPostgresEngine(options: Options): ManagedEngine {
  const { db, databaseUrl, publicHost, warn, setting = 'DATABASE_URL' } = options
  const entrance = createEntrance(databaseUrl)
  const server: Server = { db, entrance, setting }
  let prepared: Promise<void> | undefined
  const prepare = () => {
    // The server's other databases are closed to tenants, who log in to this server.
    prepared ??= closeDatabases(db).then(() => ensureTemplate(server))
    prepared.catch(() => {
      prepared = undefined
    })
    return prepared
  }
  const sizes = createBoundedCache<'all', Promise<number>>({ max: 1, ttl: { ms: MEASURED_MS, clock: systemClock } })
  const own = addressOf(databaseUrl)
  const shown = publicHost === undefined ? own : { ...own, ...hostAndPort(publicHost) }
  return {
    name: 'postgres',
    limit: undefined,
    async create(managed, ownerConnections = OWNER.connections) {
      try {
        await prepare()
        await ensureRoles(db, managed, ownerConnections)
        await quietReader(db, managed, warn)
        await ensureDatabase(server, managed)
        await fillDatabase(server, managed)
        await letIn(db, managed)
      } catch (error) {
        throw isNotAllowed(error) ? needRights(error, setting) : error
      }
    },
    previewRole: (managed) => ensurePreviewRole(db, managed),
    sizesOf: (names) => selectSizes(db, names),
    usedBytes: async () => {
      await ping(db)
      return loadOnce(sizes, 'all', () => measureAll(db))
    },
    ping: () => ping(db),
    admin: { db, entrance },
    endBackend: createEndBackend(db, warn),
    endLogins: async (managed) => {
      await endLogins(server, managed)
    },
    drop: (managed) => dropManaged({ ...server, warn }, managed),
    leftRoles: {
      find: () => findLeftRoles(db),
      remove: async (roles) => {
        await removeRoles(server, roles)
      },
    },
    async secure(managed) {
      await endAbandoned(db, managed)
      await quietReader(db, managed, warn)
      await limitUnlimitedOwner(server, managed, OWNER.connections, warn)
    },
    limitOwner: (owner, change) => limitOwner(server, owner, change),
    connectionSlots: () => connectionSlots(db),
    serverWarnings: () => serverWarnings(server, prepare),
    publicAddress: async () => shown,
    ownAddress: async () => own,
    close: async () => {},
  }
}

/** Returns the size of each database that exists. */
async function selectSizes(db: Db, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<{ name: string; bytes: number | null }>(sql`
    select datname as name, pg_catalog.pg_database_size(oid) as bytes
    from pg_catalog.pg_database where datname = any(${names}::text[])`)
  return new Map(rows.flatMap(({ name, bytes }) => (bytes === null ? [] : [[name, bytes]])))
}

async function ping(db: Db): Promise<void> {
  await db.query(sql`select`)
}

/** Returns the bytes of all databases of the server whose size the role may see. */
async function measureAll(db: Db): Promise<number> {
  return db.tx(
    async (tx) => {
      const [row] = await tx.query<{ bytes: number }>(sql`
        select coalesce(sum(pg_catalog.pg_database_size(oid)), 0)::int8 as bytes
        from pg_catalog.pg_database where has_database_privilege(oid, 'connect')`)
      return row!.bytes
    },
    { readOnly: true, timeoutMs: MEASURE_LIMIT_MS },
  )
}

/** Returns what prevents managed databases from being created or isolated on this server, in words for the operator. */
async function serverWarnings({ db, setting }: Server, prepare: () => Promise<void>): Promise<string[]> {
  const found = await prepare().then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof ServiceError) return error.message
      if (isNotAllowed(error)) return needRights(error, setting).message
      throw error
    },
  )
  const rights = await missingRights(db, setting)
  const others = [await openDatabasesWarning(db), await quietWarning(db), await leftRolesWarning(db)]
  return [rights, rights === undefined ? found : undefined, ...others].filter((text) => text !== undefined)
}

async function missingRights(db: Db, setting: string): Promise<string | undefined> {
  const [row] = await db.query<{ name: string; can_create: boolean }>(sql`
    select quote_ident(rolname) as name, rolsuper or (rolcreatedb and rolcreaterole) as can_create
    from pg_catalog.pg_roles where rolname = current_user`)
  if (row!.can_create) return undefined
  return (
    `No managed database can be created: the role ${row!.name} in ${setting} may not create databases and roles. ` +
    `As a superuser run: alter role ${row!.name} createdb createrole;`
  )
}

function needRights(cause: unknown, setting: string): ServiceError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new ServiceError(
    'UNAVAILABLE',
    `No managed database can be created: Postgres refused it to the role in ${setting} (${reason}). As a superuser ` +
      'run the SQL of the guide /guides/running#the-role-and-the-template.',
    { cause },
  )
}

async function ensureRoles(
  db: Db,
  { owner_role, reader_role, owner_verifier, reader_verifier }: Managed,
  ownerConnections: number,
) {
  const reader = identifier(reader_role).text
  const attributes = {
    [owner_role]: `login connection limit ${ownerConnections} password '${owner_verifier}'`,
    [reader_role]: `login noinherit connection limit ${READER.connections} password '${reader_verifier}'`,
  }
  for (const [role, those] of Object.entries(attributes)) {
    const isThere = await ensureRole(db, role, those)
    // A move that was undone and is tried again uses the name of a role that was to be removed.
    if (isThere) await db.query(script(`comment on role ${identifier(role).text} is null`))
  }
  // These are defaults that the session can change: what the reader may read is decided by grants alone.
  const settings = {
    default_transaction_read_only: 'on',
    statement_timeout: `${READER.statementMs}ms`,
    lock_timeout: `${READER.statementMs}ms`,
    idle_in_transaction_session_timeout: `${READER.statementMs}ms`,
    search_path: READER.searchPath,
    // Compiling a plan takes longer than any question that is worth asking.
    jit: 'off',
  }
  for (const [name, value] of Object.entries(settings)) {
    await db.query(script(`alter role ${reader} set ${name} = '${value}'`))
  }
}

/** Creates the database owned by the platform, so that its tenant can neither drop it nor let others in. */
async function ensureDatabase(server: Server, { physical_name }: Managed): Promise<void> {
  const { db } = server
  const name = identifier(physical_name).text
  const existing = await db.query(sql`select from pg_database where datname = ${physical_name}`)
  if (existing.length === 0) {
    const create = `create database ${name} template ${identifier(TEMPLATE).text}`
    await onOwnDatabase(server, (send) => send(create))
  }
  await db.query(script(`revoke all on database ${name} from public`))
}

async function letIn(db: Db, { physical_name, owner_role, reader_role }: Managed): Promise<void> {
  const name = identifier(physical_name).text
  await db.query(script(`grant create, connect, temporary on database ${name} to ${identifier(owner_role).text}`))
  await db.query(script(`grant connect on database ${name} to ${identifier(reader_role).text}`))
}

/**
 * Creates the extension, which a template made by an operator may lack, and gives the schema to the owner. The extension
 * is never created in a schema that was the owner's: its script would use operators and functions that it finds there.
 */
async function fillDatabase({ entrance, setting }: Server, managed: Managed): Promise<void> {
  await entrance.enter(managed.physical_name, ADMIN_LIMIT_MS, async (send) => {
    const [found] = await send<{ has_vector: boolean; is_given: boolean }>(
      `select exists (select from pg_extension where extname = 'vector') as has_vector,
              not exists (select from pg_namespace
                          where nspname = 'public' and pg_get_userbyid(nspowner) <> $1) as is_given`,
      [managed.owner_role],
    )
    if (!found!.has_vector) {
      if (found!.is_given) throw lostExtension()
      await send('create extension vector with schema public').catch((error: unknown) => {
        throw isNotAllowed(error) ? needSuperuser(error, setting) : error
      })
    }
    for (const statement of schemaGrants(managed)) await send(statement)
  })
}

function lostExtension(): ServiceError {
  return new ServiceError(
    'UNAVAILABLE',
    'The database was given to its owner before and has lost the extension vector. Drop it and create it again.',
  )
}

export function addressOf(databaseUrl: string): Address {
  const { hostname, port, searchParams } = new URL(databaseUrl)
  const sslmode = searchParams.get('sslmode')
  return { host: hostname, port: Number(port || 5432), search: sslmode ? `?sslmode=${sslmode}` : '' }
}

function hostAndPort(text: string): { host: string; port: number } {
  const { hostname, port } = new URL(`postgres://${text}`)
  return { host: hostname, port: Number(port || 5432) }
}

import pg from 'pg'
import type { Db } from '#lib/db/db.ts'
import { identifier, script, sql } from '#lib/db/sql.ts'
import { type Address, type Managed, type ManagedEngine, READER } from './engine.ts'
import { quietReader } from './quiet-reader.ts'
import { ensureTemplate, onDatabase, TEMPLATE } from './template.ts'

type Options = {
  db: Db
  databaseUrl: string
  publicHost: string | undefined
  /** Told what the operator should mend. */
  warn: (text: string) => void
}

/** A database and two roles each on the server that also holds the platform's own database. */
export function createPostgresEngine({ db, databaseUrl, publicHost, warn }: Options): ManagedEngine {
  const urlOf = (database: string) => {
    const url = new URL(databaseUrl)
    url.pathname = `/${database}`
    return url.href
  }
  let prepared: Promise<void> | undefined
  const prepare = () => {
    prepared ??= prepareServer(db, urlOf)
    prepared.catch(() => {
      prepared = undefined
    })
    return prepared
  }
  const own = addressOf(databaseUrl)
  const shown = publicHost === undefined ? own : { ...own, ...hostAndPort(publicHost) }
  return {
    name: 'postgres',
    limit: undefined,
    async create(managed) {
      await prepare()
      await ensureRoles(db, managed)
      await quietReader(db, managed, warn)
      await ensureDatabase(db, managed)
      await onDatabase(urlOf(managed.physical_name), schemaGrants(managed))
    },
    drop: (managed) => dropAll(db, managed),
    secure: (managed) => quietReader(db, managed, warn),
    publicAddress: async () => shown,
    ownAddress: async () => own,
    close: async () => {},
  }
}

/** Tenants log in to this server: the platform's own database must not be open to every role. */
async function prepareServer(db: Db, urlOf: (database: string) => string): Promise<void> {
  const [row] = await db.query<{ name: string }>(sql`select current_database() as name`)
  await db.query(script(`revoke connect, temporary on database ${identifier(row!.name).text} from public`))
  await ensureTemplate(db, urlOf)
}

async function ensureRoles(db: Db, { owner_role, reader_role, owner_verifier, reader_verifier }: Managed) {
  const reader = identifier(reader_role).text
  await ensureRole(db, owner_role, `login nosuperuser nocreatedb nocreaterole password '${owner_verifier}'`)
  await ensureRole(
    db,
    reader_role,
    `login nosuperuser nocreatedb nocreaterole noinherit connection limit ${READER.connections}
     password '${reader_verifier}'`,
  )
  // Defaults, not walls: what the reader may read is decided by grants alone.
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

async function ensureRole(db: Db, role: string, attributes: string): Promise<void> {
  const known = await db.query(sql`select from pg_roles where rolname = ${role}`)
  const verb = known.length === 0 ? 'create' : 'alter'
  await db.query(script(`${verb} role ${identifier(role).text} ${attributes}`))
  // A platform role that is no superuser may act on what belongs to roles it is a member of.
  await db.query(script(`grant ${identifier(role).text} to current_user`))
}

/** Owned by the platform: the tenant owns what is inside, and can neither drop it nor let others in. */
async function ensureDatabase(db: Db, { physical_name, owner_role, reader_role }: Managed): Promise<void> {
  const name = identifier(physical_name).text
  const known = await db.query(sql`select from pg_database where datname = ${physical_name}`)
  if (known.length === 0) {
    await db.query(script(`create database ${name} template ${identifier(TEMPLATE).text}`))
  }
  await db.query(script(`revoke all on database ${name} from public`))
  await db.query(script(`grant create, connect, temporary on database ${name} to ${identifier(owner_role).text}`))
  await db.query(script(`grant connect on database ${name} to ${identifier(reader_role).text}`))
}

export function schemaGrants({ owner_role, reader_role }: Managed): string[] {
  return [
    'revoke all on schema public from public',
    `alter schema public owner to ${pg.escapeIdentifier(owner_role)}`,
    `grant usage on schema public to ${pg.escapeIdentifier(reader_role)}`,
  ]
}

async function dropAll(db: Db, { physical_name, owner_role, reader_role }: Managed): Promise<void> {
  await db.query(script(`drop database if exists ${identifier(physical_name).text} with (force)`))
  await db.query(script(`drop role if exists ${identifier(reader_role).text}`))
  await db.query(script(`drop role if exists ${identifier(owner_role).text}`))
}

function addressOf(databaseUrl: string): Address {
  const { hostname, port, searchParams } = new URL(databaseUrl)
  const sslmode = searchParams.get('sslmode')
  return { host: hostname, port: Number(port || 5432), search: sslmode ? `?sslmode=${sslmode}` : '' }
}

function hostAndPort(text: string): { host: string; port: number } {
  const { hostname, port } = new URL(`postgres://${text}`)
  return { host: hostname, port: Number(port || 5432) }
}

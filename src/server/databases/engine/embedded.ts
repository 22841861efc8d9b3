import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { type Managed, type ManagedEngine, READER } from './engine.ts'
import { schemaGrants } from './postgres.ts'
import { Session } from './session.ts'
import type { Startup } from './wire-login.ts'
import type { Login } from './wire-seat.ts'
import { WireServer } from './wire-server.ts'

type Options = {
  dataDir: string
  limit: number
  /** The managed database of that physical name, when it is ready. */
  find: (physicalName: string) => Promise<Managed | undefined>
  onError: (error: unknown) => void
  /** A statement of the owner's may run this long. */
  statementMs?: number
  idleInTransactionMs?: number
}

const OWNER_STATEMENT_MS = 5 * 60_000
const IDLE_IN_TRANSACTION_MS = 10_000

/** An engine of its own for each database, in a thread of its own, reached through one small server. */
export function createEmbeddedEngine(options: Options): ManagedEngine {
  const { dataDir, limit, find, onError } = options
  const { statementMs = OWNER_STATEMENT_MS, idleInTransactionMs = IDLE_IN_TRANSACTION_MS } = options
  const sessions = new Map<string, Promise<Session>>()
  /** A login that began before its database was dropped must not make it anew. */
  const dropped = new Set<string>()
  let closed = false
  const folderOf = (name: string) => join(dataDir, 'databases', name)
  const session = async (name: string): Promise<Session> => {
    if (closed || dropped.has(name)) throw new Error('the database is gone')
    const known = sessions.get(name)
    if (known) return known
    const opening = Session.open({ folder: folderOf(name), archive: join(dataDir, 'empty-cluster.tar.gz'), onError })
    sessions.set(name, opening)
    opening.catch(() => sessions.delete(name))
    return opening
  }
  const login = async ({ user, database }: Startup): Promise<Login | undefined> => {
    const managed = await find(database)
    return managed && loginOf(managed, user, () => session(database), { statementMs, idleInTransactionMs })
  }
  const server = new WireServer({ find: login, onError, idleInTransactionMs })
  const close = async (name: string) => {
    const open = sessions.get(name)
    sessions.delete(name)
    await (await open?.catch(() => undefined))?.close()
  }
  const address = async () => ({ host: '127.0.0.1', port: await server.port(), search: '' })
  return {
    name: 'embedded',
    limit,
    create: async (managed) => (await session(managed.physical_name)).runAsPlatform(setUp(managed)),
    // It writes no log of statements.
    secure: async () => {},
    async drop({ physical_name }) {
      dropped.add(physical_name)
      server.disconnect(physical_name)
      await close(physical_name)
      await rm(folderOf(physical_name), { recursive: true, force: true })
    },
    publicAddress: address,
    ownAddress: address,
    async close() {
      closed = true
      await server.close()
      await Promise.all([...sessions.keys()].map(close))
    },
  }
}

/** No passwords in here: the server in front checks them. */
function setUp(managed: Managed): string[] {
  const role = (name: string, attributes: string) =>
    `do $$ begin create role ${pg.escapeIdentifier(name)} login nosuperuser ${attributes};
     exception when duplicate_object then null; end $$`
  return [
    role(managed.owner_role, ''),
    role(managed.reader_role, 'noinherit'),
    'create extension if not exists vector',
    'revoke all on database postgres from public',
    `grant create, temporary on database postgres to ${pg.escapeIdentifier(managed.owner_role)}`,
    ...schemaGrants(managed),
  ]
}

type Bounds = { statementMs: number; idleInTransactionMs: number }

/** A question waits for its turn no longer than somebody may sleep in a transaction; an owner waits out a statement. */
function loginOf(managed: Managed, user: string, session: Login['session'], bounds: Bounds): Login | undefined {
  const act = `set session authorization ${pg.escapeIdentifier(user)}`
  if (user === managed.owner_role) {
    const { statementMs } = bounds
    return { session, verifier: managed.owner_verifier, prologue: [act], statementMs, waitMs: 2 * statementMs }
  }
  if (user !== managed.reader_role) return undefined
  const settings = ['set default_transaction_read_only = on', `set search_path = ${READER.searchPath}`]
  const times = { statementMs: READER.statementMs, waitMs: bounds.idleInTransactionMs }
  return { session, verifier: managed.reader_verifier, prologue: [act, ...settings], ...times }
}

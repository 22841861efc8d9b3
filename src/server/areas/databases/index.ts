import type { Route } from '#edge/http/route.ts'
import type { Tx } from '#lib/db/db.ts'
import type { Log } from '#lib/log.ts'
import type { Loop } from '#lib/work/loop.ts'
import { connectRoute, needReady } from './connect.ts'
import { createRoute } from './create.ts'
import type { DatabaseDeps } from './deps.ts'
import { dropRoute } from './drop.ts'
import { createEmbeddedEngine } from './engine/embedded/engine.ts'
import { connectionString, type ManagedEngine } from './engine/engine.ts'
import { createPools, type ManagedDb } from './engine/pools.ts'
import { createPostgresEngine } from './engine/postgres/engine.ts'
import { secureLoop, unfinishedLoop } from './finish.ts'
import { listRoute } from './list.ts'
import { createLogins } from './logins.ts'
import { type Login, openPassword } from './new-database.ts'
import { type DatabaseRow, findByPhysicalName, holdDatabase } from './store.ts'

export type { ManagedDb } from './engine/pools.ts'
export { DATABASE_PASSWORDS } from './new-database.ts'

export type Databases = AsyncDisposable & {
  readonly routes: readonly Route[]
  readonly loops: readonly Loop[]
  /** What the operator should know or change, for the log and the start. */
  warnings(): Promise<readonly string[]>
  /**
   * Inside a managed database of the organization: as the reader, who sees what was granted and runs 10 seconds at
   * most, or as the owner, to look at the catalogue and to grant. What runs as the owner meets what the tenant made:
   * name everything with its schema.
   */
  open(orgId: string, name: string, as: Login): Promise<ManagedDb>
  /** Whether the organization has one of that name that can be used; it is not dropped before the transaction ends. */
  has(tx: Tx, orgId: string, name: string): Promise<boolean>
}

type Options = Pick<DatabaseDeps, 'db' | 'clock' | 'sealer' | 'sources'> & {
  log: Log
  databaseUrl: string | undefined
  dataDir: string
  publicHost: string | undefined
  embeddedMax: number
  embeddedMemoryBytes?: number
  embeddedIdleMs?: number
  /** How long a statement on a managed database may take on a server; 10 seconds where nothing is said. */
  limitMs?: number
}

export function createDatabases(options: Options): Databases {
  const { db, log, sealer } = options
  const onError = (error: unknown) => log.warn({ error }, 'a managed database failed')
  const engine = chooseEngine(options, onError)
  const pools = createPools({
    onError,
    oneSession: engine.name === 'embedded',
    connection: engine.ownConnection,
    types: engine.ownTypes,
    ...(options.limitMs && { limitMs: options.limitMs }),
  })
  const logins = createLogins(options.clock)
  const forget = (physicalName: string) => {
    logins.forget(physicalName)
    return pools.forget(physicalName)
  }
  const deps: DatabaseDeps = { ...options, engine, pools: { ...pools, forget } }
  const secure = securedOnce(engine)
  const onUnfinished = (error: unknown, { id }: { id: string }) =>
    log.error({ error, database: id }, 'not finished; it is tried again')
  const loginOf = async (orgId: string, name: string, as: Login) => {
    const row = await needReady({ db }, orgId, name)
    if (as === 'reader') await secure(row)
    const login = { role: row[`${as}_role`], password: openPassword(row, as, sealer), database: row.physical_name }
    return {
      physicalName: row.physical_name,
      connectionString: connectionString(await engine.ownAddress(), login),
    }
  }
  return {
    routes: [createRoute(deps), listRoute(deps), connectRoute(deps), dropRoute(deps)],
    loops: [unfinishedLoop(deps, onUnfinished), secureLoop(deps, secure, onUnfinished)],
    async open(orgId, name, as) {
      if (as === 'owner') return pools.open((await loginOf(orgId, name, as)).connectionString)
      return pools.open(await logins.of(`${orgId} ${name}`, () => loginOf(orgId, name, as)))
    },
    has: holdDatabase,
    async warnings() {
      const warning = await engine.warning?.()
      const ofServer = (await engine.serverWarnings?.().catch(onError)) ?? []
      for (const text of ofServer) log.warn({}, text)
      return warning === undefined ? ofServer : [warning, ...ofServer]
    },
    async [Symbol.asyncDispose]() {
      await pools.close()
      await engine.close()
    },
  }
}

/** Once for each database in the life of a process. */
function securedOnce(engine: ManagedEngine): (row: DatabaseRow) => Promise<void> {
  const secured = new Map<string, Promise<void>>()
  return (row) => {
    const known = secured.get(row.id)
    if (known) return known
    const securing = engine.secure(row)
    secured.set(row.id, securing)
    securing.catch(() => secured.delete(row.id))
    return securing
  }
}

function chooseEngine(options: Options, onError: (error: unknown) => void) {
  const { db, log, databaseUrl, publicHost, dataDir, embeddedMax, embeddedMemoryBytes, embeddedIdleMs } = options
  const warn = onlyOnce((text) => log.warn({}, text))
  if (databaseUrl !== undefined) return createPostgresEngine({ db, databaseUrl, publicHost, warn })
  const find = (physicalName: string) => findByPhysicalName(db, physicalName)
  const limits = {
    limit: embeddedMax,
    ...(embeddedMemoryBytes && { memoryBytes: embeddedMemoryBytes }),
    ...(embeddedIdleMs && { idleMs: embeddedIdleMs }),
  }
  return createEmbeddedEngine({ dataDir, ...limits, find, onError })
}

function onlyOnce(tell: (text: string) => void): (text: string) => void {
  const told = new Set<string>()
  return (text) => {
    if (!told.has(text)) tell(text)
    told.add(text)
  }
}

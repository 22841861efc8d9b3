import type { Route } from '#edge/http/route.ts'
import type { Tx } from '#lib/db/db.ts'
import type { Log } from '#lib/log.ts'
import type { JobKind } from '#lib/work/job-kind.ts'
import { connectRoute, needReady } from './connect.ts'
import { createRoute } from './create.ts'
import type { DatabaseDeps } from './deps.ts'
import { dropRoute } from './drop.ts'
import { createEmbeddedEngine } from './engine/embedded/engine.ts'
import { connectionString, type ManagedEngine } from './engine/engine.ts'
import { createPools, type ManagedDb } from './engine/pools.ts'
import { createPostgresEngine } from './engine/postgres/engine.ts'
import { finishJobs, secureJobs } from './jobs.ts'
import { listRoute } from './list.ts'
import { createLogins } from './logins.ts'
import { type LoginRole, openPassword } from './new-database.ts'
import { type DatabaseRow, findByPhysicalName, holdDatabase } from './store.ts'

export type { ManagedDb } from './engine/pools.ts'
export { DATABASE_PASSWORDS } from './new-database.ts'

export type Databases = AsyncDisposable & {
  readonly routes: readonly Route[]
  /** Long work of the worker: finishes what a crash left, and keeps the limits of every database up to date. */
  readonly slots: readonly JobKind[]
  /** Returns what the operator should know or change, and logs what concerns the server. */
  warnings(): Promise<readonly string[]>
  /**
   * Opens a managed database of the organization: as the reader, who sees what was granted and whose statements run 10
   * seconds at most, or as the owner, to read the catalogue and to grant. Statements of the owner can meet objects that
   * the tenant made, so name everything with its schema.
   */
  open(orgId: string, name: string, as: LoginRole): Promise<ManagedDb>
  /**
   * Returns whether the organization has a ready database of that name. It is not dropped before the transaction ends.
   */
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
  /** How long a statement on a managed database may take on a server, 10 seconds by default. */
  limitMs?: number
}

/** Opens the engine of managed databases. A process calls this once, because two engines cannot share one folder. */
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
    logins.forgetAll()
    return pools.forget(physicalName)
  }
  const deps: DatabaseDeps = { ...options, engine, pools: { ...pools, forget } }
  const secure = securedOnce(engine)
  const onJobError = (error: unknown, { id, state }: DatabaseRow) =>
    log.error({ error, database: id, state }, 'work on a managed database failed; it is tried again')
  const loginOf = async (orgId: string, name: string, as: LoginRole) => {
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
    slots: [
      finishJobs(deps, onJobError),
      ...(engine.secure ? [secureJobs({ db, secure: engine.secure }, onJobError)] : []),
    ],
    async open(orgId, name, as) {
      if (as === 'owner') return pools.open((await loginOf(orgId, name, as)).connectionString)
      return pools.open(
        await logins.of(`${orgId} ${name}`, async () => (await loginOf(orgId, name, as)).connectionString),
      )
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

/** Secures each database once in the life of a process, before its reader is first used. */
function securedOnce(engine: ManagedEngine): (row: DatabaseRow) => Promise<void> {
  const secured = new Map<string, Promise<void>>()
  return (row) => {
    const earlier = secured.get(row.id)
    if (earlier) return earlier
    const securing = engine.secure?.(row) ?? Promise.resolve()
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

function onlyOnce(log: (text: string) => void): (text: string) => void {
  const logged = new Set<string>()
  return (text) => {
    if (!logged.has(text)) log(text)
    logged.add(text)
  }
}

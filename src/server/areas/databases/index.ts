import type { Route } from '#edge/route/route.ts'
import type { Tx } from '#lib/db/db.ts'
import { createBoundedCache, loadOnce } from '#lib/memory/bounded-cache.ts'
import type { JobKind } from '#lib/work/job-kind.ts'
import { PLATFORM_SERVER } from '#ports/platform-server.ts'
import { type Activity, connectionString, type ManagedEngine, type PreviewRole } from './engine/engine.ts'
import { createPools, type ManagedDb } from './engine/pools.ts'
import type { Reads } from './engine/reads.ts'
import { readsFromReplica } from './engine/replica-reads.ts'
import { dumpRoute } from './export/dump.ts'
import { connectRoute, needReady } from './life/connect.ts'
import { createRoute } from './life/create.ts'
import { dropRoute } from './life/drop.ts'
import { finishJobs, secureJobs } from './life/jobs.ts'
import { listRoute } from './life/list.ts'
import { createLogins } from './model/logins.ts'
import { type LoginRole, openPassword } from './model/new-database.ts'
import { type DatabaseRow, findDatabase, holdDatabase } from './model/store.ts'
import { moveJobs, refuseWhileMoving } from './move/rescue.ts'
import type { DatabaseDeps } from './servers/deps.ts'
import { findServerFaults, type ServerFault } from './servers/faults.ts'
import { leftRoleJobs } from './servers/left-roles.ts'
import { openServers, type ServerOptions } from './servers/open-servers.ts'
import type { Servers } from './servers/servers.ts'
import { shareConnections } from './servers/share-connections.ts'
import { sizeRoute } from './servers/size.ts'
import { listTablesRoute } from './tables/list-tables.ts'

export { PROGRAM_NAME } from './copy/programs.ts'
export type { ManagedDb } from './engine/pools.ts'
export { databasesEraser } from './life/erase-store.ts'
export { createFindDatabases } from './life/find.ts'
export { DATABASE_PASSWORDS } from './model/new-database.ts'
export { createMover } from './move/mover.ts'
export { moveNoticeLoop } from './move/notice-loop.ts'
export type { ServerSettings } from './servers/servers.ts'

export type Databases = AsyncDisposable & {
  readonly routes: readonly Route[]
  /** Long work of the worker: finishes what a crash left, and keeps the limits of every database up to date. */
  readonly slots: readonly JobKind[]
  /** Returns what the operator should know or change, and logs what concerns the servers. */
  warnings(): Promise<readonly string[]>
  /** Returns the same as `warnings`, with whether it is a problem already. Logs none of it. */
  faults(): Promise<readonly ServerFault[]>
  /**
   * By the name of a readiness check: throws while a server besides the platform's own cannot be reached, or after an
   * embedded engine could not be started.
   */
  readonly pings: ReadonlyMap<string, () => Promise<void>>
  /**
   * Opens a managed database of the organization: as the reader, who sees what was granted and whose statements run 10
   * seconds at most, or as the owner, to read the catalogue and to grant. Statements of the owner can meet objects that
   * the tenant made, so name everything with its schema.
   */
  open(orgId: string, name: string, as: LoginRole): Promise<ManagedDb>
  /**
   * Opens a database as the owner, together with a role that has no lasting rights. A transaction of the owner can grant it
   * some, act as it by `become`, and roll everything back.
   */
  openForPreview(orgId: string, name: string): Promise<{ readonly owner: ManagedDb } & PreviewRole>
  /** As `ManagedEngine.copyFiles`. Absent on Postgres. */
  readonly copyFiles?: NonNullable<ManagedEngine['copyFiles']>
  /** Returns whether the engine of a database runs and is used now. Starts none. */
  activityOf(orgId: string, name: string): Promise<Activity>
  /**
   * Opens a database as the reader, to answer a question. A read replica answers where its server has one that is not too
   * far behind; if it fails, the primary does.
   */
  openForQuestions(orgId: string, name: string): Promise<Reads>
  /** Returns how old an answer can be because of a read replica. 0: there is none. */
  maxStalenessSeconds(orgId: string, name: string): Promise<number>
  /**
   * Returns whether the organization has a ready database of that name. It is not dropped before the transaction ends.
   */
  has(tx: Tx, orgId: string, name: string): Promise<boolean>
}

/** How questions log in to a database. Remembered for a few seconds. */
type ReaderLogin = {
  readonly engine: ManagedEngine
  readonly login: { readonly role: string; readonly password: string; readonly database: string }
  readonly connectionString: string
}

type Options = ServerOptions &
  Pick<DatabaseDeps, 'clock' | 'sealer' | 'sources' | 'orgLimits'> & {
    /** How many connections this process may have to managed databases on a server. */
    maxConnections?: number
    /** How long a statement on a managed database may take on a server, 10 seconds by default. */
    limitMs?: number
  }

/** Opens the engine of managed databases. A process calls this once, because two engines cannot share one folder. */
export function createDatabases(options: Options): Databases {
  const { db, log, sealer } = options
  const onError = (error: unknown) => log.warn({ error }, 'a managed database failed')
  const servers = openServers(options, onError)
  const { engine: platform } = servers.all[0]!
  const pools = createPools({
    onError,
    oneSession: platform.name === 'embedded',
    connection: platform.ownConnection,
    types: platform.ownTypes,
    maxConnections: options.maxConnections,
    ...(options.limitMs && { limitMs: options.limitMs }),
  })
  const logins = createLogins<ReaderLogin>(options.clock)
  const forget = (physicalName: string) => {
    logins.forgetAll()
    return pools.forget(physicalName)
  }
  const deps: DatabaseDeps = { ...options, servers, pools: { ...pools, forget } }
  const secure = securedOnce(servers)
  const onJobError = (error: unknown, { id, state }: DatabaseRow) =>
    log.error({ error, database: id, state }, 'work on a managed database failed; it is tried again')
  const onRolesError = (error: unknown, server: string) =>
    log.error({ error, server }, 'roles of dropped databases could not be removed; it is tried again')
  const loginOf = async (orgId: string, name: string, as: LoginRole) => {
    const row = await needReady({ db }, orgId, name)
    if (as === 'reader') await secure(row)
    else await refuseWhileMoving(db, row)
    const login = { role: row[`${as}_role`], password: openPassword(row, as, sealer), database: row.physical_name }
    const engine = servers.engineOf(row)
    return { engine, login, connectionString: connectionString(await engine.ownAddress(), login) }
  }
  const readerLogin = (orgId: string, name: string) =>
    logins.of(`${orgId} ${name}`, () => loginOf(orgId, name, 'reader'))
  const open: Databases['open'] = async (orgId, name, as) => {
    const found = as === 'owner' ? await loginOf(orgId, name, as) : await readerLogin(orgId, name)
    return pools.open(found.connectionString, found.engine.endBackend)
  }
  return {
    routes: [
      createRoute(deps),
      listRoute(deps),
      sizeRoute(deps),
      listTablesRoute({ openOwner: (orgId, name) => open(orgId, name, 'owner') }),
      connectRoute(deps),
      dumpRoute(deps),
      dropRoute(deps),
    ],
    slots: [
      finishJobs(deps, onJobError),
      ...(platform.secure ? [secureJobs({ db, secure: (row) => secureAndShare(deps, row) }, onJobError)] : []),
      ...(servers.all.length > 1 ? [moveJobs(deps, onJobError)] : []),
      ...(platform.leftRoles ? [leftRoleJobs(deps, onRolesError)] : []),
    ],
    open,
    async openForPreview(orgId, name) {
      const row = await needReady({ db }, orgId, name)
      const role = await servers.engineOf(row).previewRole(row)
      return { owner: await open(orgId, name, 'owner'), ...role }
    },
    async openForQuestions(orgId, name) {
      const found = await readerLogin(orgId, name)
      const { replica } = found.engine
      const primary = pools.open(found.connectionString, found.engine.endBackend)
      if (!replica) return primary
      return readsFromReplica(replica, primary, (address) =>
        pools.open(connectionString(address, found.login), replica.endBackend),
      )
    },
    async maxStalenessSeconds(orgId, name) {
      const row = await findDatabase(db, orgId, name)
      const server = servers.all.find(({ settings }) => settings.name === row?.server)
      return server?.engine.replica?.maxLagSeconds ?? 0
    },
    async activityOf(orgId, name) {
      const row = await needReady({ db }, orgId, name)
      return servers.engineOf(row).activityOf?.(row.physical_name) ?? 'idle'
    },
    ...(platform.copyFiles && { copyFiles: platform.copyFiles }),
    has: holdDatabase,
    async warnings() {
      const ofServers = await findServerFaults(deps, onError)
      for (const { text } of ofServers) log.warn({}, text)
      const warning = await platform.warning?.()
      return [...(warning === undefined ? [] : [warning]), ...ofServers.map(({ text }) => text)]
    },
    async faults() {
      const warning = await platform.warning?.()
      return [
        ...(warning === undefined ? [] : [{ severity: 'warning', text: warning } as const]),
        ...(await findServerFaults(deps, onError)),
      ]
    },
    pings: pingsOf(servers),
    async [Symbol.asyncDispose]() {
      await pools.close()
      await Promise.all(servers.all.map(({ engine }) => engine.close()))
    },
  }
}

function pingsOf({ all }: Servers): Databases['pings'] {
  const checkName = (name: string) => (name === PLATFORM_SERVER ? 'managed databases' : `database server ${name}`)
  // The platform's own Postgres is checked anyway.
  const checked = all.filter(({ settings, engine }) => settings.name !== PLATFORM_SERVER || engine.name === 'embedded')
  return new Map(
    checked.flatMap(({ settings, engine }) => (engine.ping ? [[checkName(settings.name), engine.ping]] : [])),
  )
}

async function secureOf(servers: Servers, row: DatabaseRow): Promise<void> {
  await servers.engineOf(row).secure?.(row)
}

async function secureAndShare(deps: DatabaseDeps, row: DatabaseRow): Promise<void> {
  await secureOf(deps.servers, row)
  await shareConnections(deps, row)
}

/** More than an installation has. */
const MAX_SECURED = 100_000

/** Secures each database once in the life of a process on each server it is on, before its reader is first used. */
function securedOnce(servers: Servers): (row: DatabaseRow) => Promise<void> {
  const secured = createBoundedCache<string, Promise<void>>({ max: MAX_SECURED })
  return (row) => loadOnce(secured, `${row.server} ${row.id}`, () => secureOf(servers, row))
}

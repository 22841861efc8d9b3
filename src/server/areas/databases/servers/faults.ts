import type { Querier } from '#lib/db/db.ts'
import { DatabaseUnavailable } from '#lib/db/errors.ts'
import { messageOf } from '#lib/message-of.ts'
import { DEFAULT_ORG_LIMITS, type OrgLimits } from '#ports/database-limits.ts'
import { PLATFORM_SERVER } from '#ports/platform-server.ts'
import { countByServer, sumShares } from '../model/store.ts'
import type { DatabaseServer, Servers } from './servers.ts'

type Deps = { readonly db: Querier; readonly servers: Servers; readonly orgLimits?: OrgLimits }
type OnError = (error: unknown) => void

/** A fault with its text for the operator. `problem`: data sources do not answer because of it. */
export type ServerFault = { readonly severity: 'problem' | 'warning'; readonly text: string }

/** Returns what keeps databases from being created, isolated or reached. Each text names its server if there are several. */
export async function findServerFaults(deps: Deps, onError: OnError): Promise<ServerFault[]> {
  const { db, servers } = deps
  const faults = await Promise.all(servers.all.map((server) => faultsOf(server, onError)))
  const orNone = (error: unknown): ServerFault[] => {
    onError(error)
    return []
  }
  const unknown = await findUnknownServers(db, servers).catch(orNone)
  const scarce = await findScarceConnections(deps).catch(orNone)
  return [...faults.flat(), ...scarce, ...unknown]
}

async function faultsOf({ settings, engine }: DatabaseServer, onError: OnError): Promise<ServerFault[]> {
  const { name } = settings
  const isPlatform = name === PLATFORM_SERVER
  try {
    const found = (await engine.serverWarnings?.()) ?? []
    return found.map((text) => ({
      severity: 'warning',
      text: isPlatform ? text : `On the Postgres server ${name}: ${text}`,
    }))
  } catch (error) {
    onError(error)
    // The platform's own Postgres is checked elsewhere, because svc itself cannot work without it.
    return isPlatform ? [] : [{ severity: 'problem', text: awayText(name, error) }]
  }
}

function awayText(name: string, error: unknown): string {
  const reason = error instanceof DatabaseUnavailable ? 'does not answer' : `refuses svc (${messageOf(error)})`
  return (
    `The Postgres server ${name} ${reason}, so the data sources on it are answered with 503. Check that it runs and ` +
    'that its address and password in SVC_DATABASE_SERVERS are right.'
  )
}

/** Finds servers on which the owners of all databases together can take the connections that svc itself needs. */
async function findScarceConnections(deps: Deps): Promise<ServerFault[]> {
  const { reservedConnections } = deps.orgLimits ?? DEFAULT_ORG_LIMITS
  const sums = await sumShares(deps.db)
  const faults = deps.servers.all.map(async ({ settings: { name }, engine }): Promise<ServerFault[]> => {
    const slots = await engine.connectionSlots?.().catch(() => undefined)
    const needed = (sums.get(name) ?? 0) + reservedConnections
    return slots === undefined || needed <= slots
      ? []
      : [{ severity: 'warning', text: scarceText(name, slots, needed) }]
  })
  return (await Promise.all(faults)).flat()
}

function scarceText(name: string, slots: number, needed: number): string {
  const server = name === PLATFORM_SERVER ? 'This Postgres server' : `The Postgres server ${name}`
  return (
    `${server} has ${slots} connections, but the owners of its managed databases and svc itself can need ${needed}. ` +
    'Raise max_connections, or lower SVC_DATABASE_CONNECTIONS_PER_ORG.'
  )
}

/** Finds databases on servers that were removed from the settings. */
async function findUnknownServers(db: Querier, { all }: Servers): Promise<ServerFault[]> {
  const names = new Set(all.map(({ settings }) => settings.name))
  const unknown = [...(await countByServer(db))].filter(([server]) => !names.has(server))
  return unknown.map(([server, count]) => ({
    severity: 'problem',
    text:
      `SVC_DATABASE_SERVERS does not name the Postgres server ${server}, which has managed databases (${count}). ` +
      'Their data sources are answered with 503 until it does.',
  }))
}

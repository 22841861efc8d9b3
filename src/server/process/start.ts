import { OPERATIONS } from '#contract/operations.ts'
import { createHops, HOP_HEADER } from '#edge/credentials/hop.ts'
import { createRefusalShapes } from '#edge/format/refusal-shape.ts'
import { newId } from '#edge/ids.ts'
import { createBodyRates } from '#edge/listen/body-rate.ts'
import { listen } from '#edge/listen/listen.ts'
import { addressList, createInfoReader } from '#edge/listen/request-info.ts'
import type { ServiceFetch } from '#edge/route/route.ts'
import { splitUrl } from '#edge/route/router.ts'
import { OpenStreams } from '#edge/stream/open-streams.ts'
import { orAborted } from '#lib/async/race.ts'
import type { Db } from '#lib/db/db.ts'
import { readOnlyDatabase } from '#lib/db/errors.ts'
import { script, sql } from '#lib/db/sql.ts'
import { checkWritable } from '#lib/files/data-folder.ts'
import { createOperatorFetch } from '#lib/net/operator-fetch.ts'
import { processUptime } from '#lib/work/lease-watch.ts'
import { runLoops } from '#lib/work/loop.ts'
import { runSlots } from '#lib/work/slots.ts'
import type { Check, PublicUrls, Resources, Service, ServiceParts, WorkerService } from '../compose/parts.ts'
import { createWorkerDoorFinder } from '../compose/worker-door.ts'
import { ownerOf, SERVICE_TABLE, type ServiceName } from '../config/service-table.ts'
import { openAppDoor } from './app-door.ts'
import { createLateDoor } from './late-door.ts'
import { localNeighbour, remoteNeighbour } from './neighbours.ts'
import { checkProgramFiles } from './program-files.ts'
import { checkReadiness, Draining } from './readiness.ts'
import { SERVICES } from './services.ts'
import { tracedJobs } from './traced.ts'

export type Running = {
  readonly url: string
  readonly port: number
  readonly fetch: ServiceFetch
  /** Sentences about what the operator should know or change. */
  readonly warnings: readonly string[]
  /** Other lines for the operator. */
  readonly notes: readonly string[]
  /**
   * Fails readiness from now on and answers requests for this many seconds more, so that a load balancer has time to
   * send new ones elsewhere. Each connection is closed after its next answer.
   */
  drain(seconds: number): Promise<void>
  openConnections(): Promise<number>
  /** Loads what the first requests would otherwise wait for, until the signal is aborted. */
  warm(signal: AbortSignal): Promise<void>
}

type StartOptions = {
  services: readonly ServiceName[]
  host: string
  port: number
  /** Called for each request, because another service may get its address after this one starts. */
  urlOf: (name: ServiceName) => string | undefined
  /** The services are built meanwhile, and work and answer once it resolves. */
  prepared?: Promise<void>
  /** More that must be done before the process is ready. */
  checks?: Record<string, Check>
  /** Whether apps go on when the process stops, because another one follows. */
  leavesApps?: () => boolean
  /** Aborted when the process is to stop. The start then ends at its next step and rejects. */
  stopping?: AbortSignal
  /** Called before the first request is answered and the first work begins. Until then a process can be killed. */
  onServing?: () => void
}

/**
 * Opens the port of the process, builds the named services, connects them with the others, and starts the work of the worker. The
 * port comes first, because the address people see may depend on it. A stop goes the other way: the port is closed and
 * requests and streams end before the work stops and the stores close.
 */
export async function startServices(
  resources: Resources,
  stack: AsyncDisposableStack,
  options: StartOptions,
): Promise<Running> {
  const { config, clock, log, spans } = resources
  const hops = createHops(config.secrets.internalSecret, clock)
  const send = stack.use(createOperatorFetch())
  const openStreams = new OpenStreams()
  const built = new Map<ServiceName, Service>()
  const neighbour = (name: ServiceName): ServiceFetch => {
    if (options.services.includes(name)) return localNeighbour(() => built.get(name)!.fetch)
    return async (request, info) => {
      const url = options.urlOf(name)
      if (!url) throw new Error(`the address of ${name} is not known`)
      return remoteNeighbour(url, { send, hops, openStreams, spans })(request, info)
    }
  }
  const onError = (error: unknown) => log.error({ error }, 'the listener failed')
  const onBadHop = () =>
    log.warn(
      {},
      'a hop header was refused: check that all services have the same SVC_INTERNAL_SECRET and the same time',
    )
  const readInfo = createInfoReader({ trustedProxies: addressList(config.trustedProxies), hops, onBadHop })
  const door = createLateDoor(createRefusalShapes(OPERATIONS))
  const listener = stack.use(
    await listen({
      ...options,
      fetch: door.fetch,
      readInfo,
      onError,
      bodyRateOf: createBodyRates(OPERATIONS),
    }),
  )

  const appDoor = await openAppDoor(resources, {
    ...options,
    port: listener.port,
    isPortChosen: options.port !== 0,
    leavesApps: options.leavesApps ?? (() => false),
  })
  if (appDoor) stack.use(appDoor)
  const checks = readinessChecks(resources, options, neighbour)
  const parts: ServiceParts = {
    ...resources,
    running: options.services,
    neighbour,
    appDoor,
    findWorkerDoor: createWorkerDoorFinder({ workerUrl: () => options.urlOf('worker'), send, hops }),
    isSigned: ({ headers, method, url }) => hops.verify(headers.get(HOP_HEADER) ?? '', method, url) !== undefined,
    openStreams,
    readiness: () => checkReadiness(checks),
    publicUrls: publicUrls(
      config,
      reachable(listener.url),
      options.services.includes('api-gateway') ? appDoor?.port : undefined,
    ),
  }
  for (const name of options.services) {
    options.stopping?.throwIfAborted()
    const service = (await SERVICES[name]()).compose(parts)
    stack.defer(async () => service[Symbol.asyncDispose]?.())
    built.set(name, service)
    Object.assign(checks, service.checks)
  }
  await (options.stopping && options.prepared ? orAborted(options.prepared, options.stopping) : options.prepared)
  const fetch = doorOf(options.services, built)
  options.onServing?.()
  door.open(fetch)

  const worker = [...built.values()].find(hasWork)
  const services = [...built.values()]
  const [warnings, notes] = await Promise.all([
    linesOf(services, (service) => service.warnings?.()),
    linesOf(services, (service) => service.notes?.()),
    worker && startWork(worker, resources, stack),
  ])

  stack.defer(async () => {
    await Promise.all([listener[Symbol.asyncDispose](), openStreams[Symbol.asyncDispose](), appDoor?.closePort()])
  })
  const drain = async (seconds: number) => {
    checks.draining = { ask: () => Promise.reject(new Draining()) }
    listener.drain()
    appDoor?.drain()
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  }
  const warm = async (signal: AbortSignal) => {
    // One after another: the model loads in a thread, what follows keeps this one busy.
    for (const service of built.values()) if (!signal.aborted) await service.warm?.()
  }
  const portNote = appDoor ? [`The port for apps is ${appDoor.port} (SVC_APPS_PORT)`] : []
  const { url, port } = listener
  const openConnections = () => listener.openConnections()
  return { url, port, openConnections, fetch, warnings, notes: [...portNote, ...notes], drain, warm }
}

async function linesOf(
  services: readonly Service[],
  read: (service: Service) => Promise<readonly string[]> | undefined,
): Promise<readonly string[]> {
  const lines = await Promise.all(services.map(async (service) => (await read(service)) ?? []))
  return lines.flat()
}

function hasWork(service: Service): service is WorkerService {
  return 'slots' in service
}

/** Starts the loops and slots of the worker; `stack` stops the slots first, which takes 5 seconds more than their drain. */
async function startWork({ loops, slots }: WorkerService, resources: Resources, stack: AsyncDisposableStack) {
  const { db, clock, log, metrics, spans } = resources
  const onLoopError = (loop: string, error: unknown) => {
    metrics.loopFaults.inc({ loop })
    log.error({ loop, error }, 'a loop failed and will be retried')
  }
  const onJobError = (kind: string, error: unknown) => {
    metrics.jobFaults.inc({ kind })
    log.error({ kind, error }, 'a job was disturbed or failed; its error says more')
  }
  const started = await Promise.allSettled([
    runLoops(loops, { db, clock, onError: onLoopError }),
    runSlots(spans ? slots.map((kind) => tracedJobs(kind, spans)) : slots, {
      db,
      uptime: processUptime,
      onError: onJobError,
    }),
  ])
  for (const each of started) if (each.status === 'fulfilled') stack.use(each.value)
  for (const each of started) if (each.status === 'rejected') throw each.reason
}

/** Replaces the address that stands for all addresses of the machine by the loopback address. */
function reachable(url: string): string {
  return url.replace(/^http:\/\/(?:0\.0\.0\.0|\[::\])(?=:|$)/, 'http://127.0.0.1')
}

/**
 * `own` is the address of this process, which is the one people see where all services run in it. `appsPort` is that of
 * the api-gateway, which apps answer at.
 */
function publicUrls(
  { connector, signIn, apps }: Resources['config'],
  own: string,
  appsPort: number | undefined,
): PublicUrls {
  const base = signIn.redirectBaseUrl
  const issuer = connector.issuer ?? base ?? own
  return {
    issuer,
    mcp: connector.mcpUrl ?? `${base ?? own}/mcp`,
    signIn: base ?? issuer,
    ofApp: (label) => {
      if (apps.domain !== undefined) return `https://${label}.${apps.domain}`
      return appsPort === undefined ? null : `http://${label}.localhost:${appsPort}`
    },
  }
}

/** Returns the api-gateway where it runs, else a fetch that chooses the service by the path. */
function doorOf(names: readonly ServiceName[], built: ReadonlyMap<ServiceName, Service>): ServiceFetch {
  const gateway = built.get('api-gateway')
  if (gateway) return gateway.fetch
  const first = built.get(names[0]!)!
  return (request, info) => {
    const owner = ownerOf(splitUrl(request.url).path)
    return ((owner && built.get(owner)) ?? first).fetch(request, info)
  }
}

function readinessChecks(
  { db, kv, config, installationLock }: Resources,
  { services, urlOf, checks: extra = {} }: StartOptions,
  neighbour: ServiceParts['neighbour'],
): Record<string, Check> {
  const checks: Record<string, Check> = {
    database: { ask: () => checkDatabase(db) },
    ...(config.databaseUrl === undefined && { 'data folder': { ask: () => checkWritable(config.dataDir) } }),
    'program files': { ask: checkProgramFiles },
    'key-value store': { ask: () => kv.ping(), optional: true },
    ...(installationLock && { 'other processes': { ask: async () => installationLock.check() } }),
    ...extra,
  }
  const remote = new Set(
    services.flatMap((name) => SERVICE_TABLE[name].calls).filter((name) => !services.includes(name)),
  )
  for (const name of remote) {
    const ask = async () => {
      const info = { clientAddress: '127.0.0.1', requestId: newId('req'), via: 'api', direct: false } as const
      const request = new Request(new URL('/healthz', urlOf(name)), { signal: AbortSignal.timeout(2_000) })
      const response = await neighbour(name)(request, info)
      if (!response.ok) throw new Error(`${name} answers ${response.status}`)
    }
    // Optional, because services call each other in a circle (api-gateway and mcp-server) and a load balancer sends
    // requests only to ready processes: if each waited for the other, none would ever become ready.
    checks[name] = { ask, optional: true }
  }
  return checks
}

/**
 * Writes a mebibyte to new pages and throws it away. A change of a row that is there succeeds on a full disk, because its
 * page has room. It runs only after a write was refused, so that its entries in the catalogue stay few.
 */
const EXTENDS_FILES = script(`
  do $$ begin
    create temporary table svc_write_check on commit drop as
      select n, md5(n::text) as filler from generate_series(1, 16000) as n;
  end $$`)

/** Also checks writing, because a standby, or a database with a full disk, still answers reads. */
async function checkDatabase(db: Db): Promise<void> {
  const [row] = await db.query<{ read_only: boolean }>(sql`
    select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as read_only`)
  if (row!.read_only) throw readOnlyDatabase()
  await db.recheckWrites(EXTENDS_FILES)
}

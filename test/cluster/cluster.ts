import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { type OwnPostgres, startOwnPostgres, startStandby } from '#test/databases/own-postgres.ts'
import { freePort } from '#test/free-port.ts'
import { startFakeEmbeddings } from '#test/outside/fake-embeddings.ts'
import { startPausableRelay } from '#test/outside/pausable-relay.ts'
import { type ServerProcess, startProcess } from '#test/programs/processes.ts'
import { onServer, withDatabase } from '#test/suite/global-setup.ts'
import { testEnvironment } from '#test/system.ts'
import { until, untilDone } from '#test/until.ts'
import type { Environment } from '../../src/server/config/reader.ts'
import { SERVICE_NAMES, type ServiceName } from '../../src/server/config/service-table.ts'
import { startHaproxy } from './haproxy.ts'

const HERE = join(import.meta.dirname, '..', '..')

/** One process of a service. `b` reaches Postgres and Redis through a relay that can be cut. */
export type Replica = {
  readonly name: string
  readonly service: ServiceName
  /** Kills it as a crash does. */
  kill(): Promise<void>
  /** Stops it without ending it, as a swapping or paused machine does, until `thaw`. */
  freeze(): void
  thaw(): void
  /** Ends it as an orchestrator does; returns its exit code. */
  terminate(): Promise<number | null>
  /** Starts it with the code of this checkout, or of another one; resolves when it listens. */
  launch(checkout?: string): Promise<void>
  /** Resolves when it answers that it is ready. */
  ready(): Promise<void>
  readonly output: readonly string[]
}

export type Cluster = AsyncDisposable & {
  readonly env: Environment
  /** Address of the api-gateway at the load balancer. */
  readonly url: string
  readonly mcpUrl: string
  /** Address of the primary at the load balancer. */
  readonly databaseUrl: string
  readonly replicas: readonly Replica[]
  readonly primary: OwnPostgres
  /** Kills the primary and makes the standby the new one. */
  failOver(): Promise<void>
  stopRedis(): Promise<void>
  startRedis(): Promise<void>
  /** Cuts replica `b` of every service off from Postgres and Redis, without closing its connections. */
  cut(): void
  mend(): void
}

type Options = { services?: readonly ServiceName[]; checkout?: string; sinkPort: number; standby?: boolean }

const PG = { max_connections: 300, wal_level: 'replica', max_wal_senders: 5, hot_standby: 'on' }

export async function startCluster(options: Options): Promise<Cluster> {
  const stack = new AsyncDisposableStack()
  try {
    return await startIn(stack, options)
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

async function startIn(stack: AsyncDisposableStack, options: Options): Promise<Cluster> {
  const { services = SERVICE_NAMES, sinkPort } = options
  const fake = stack.use(await startFakeEmbeddings())
  const servers = await startPostgres(stack, options.standby ?? true)
  const redis = stack.use(await startRedis())
  const ports = await portsOf(services)
  const databasePort = await freePort()
  const backends = services.map((name) => ({ name, port: ports[name].door, replicas: ports[name].replicas }))
  const checked = await Promise.all(
    servers.map(async ({ url }) => ({ port: Number(new URL(url).port), health: await openHealth(stack, url) })),
  )
  const databaseUrl = withDatabase(servers[0]!.url, 'svc').replace(/:\d+\/svc/, `:${databasePort}/svc`)
  // A replica of the former release asks its neighbours through the proxy whether it is ready, in a circle.
  const check = options.checkout === undefined ? '/readyz' : '/healthz'
  stack.use(await startHaproxy(backends, { port: databasePort, servers: checked }, check))
  await untilDone(() => onServer(databaseUrl, 'select 1'))
  const relays = {
    postgres: stack.use(await startPausableRelay({ host: '127.0.0.1', port: databasePort })),
    redis: stack.use(await startPausableRelay({ host: '127.0.0.1', port: redis.port })),
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-cluster-'))
  stack.defer(() => rmSync(dataDir, { recursive: true, force: true }))
  const doors = Object.fromEntries(services.map((name) => [name, `http://127.0.0.1:${ports[name].door}`]))
  const env = {
    ...testEnvironment(databaseUrl, dataDir),
    REDIS_URL: `redis://127.0.0.1:${redis.port}`,
    SVC_DRAIN_SECONDS: '3',
    SVC_REDIRECT_BASE_URL: doors['api-gateway']!,
    SVC_TRUSTED_PROXIES: '127.0.0.1',
    SVC_DATABASES_PUBLIC_HOST: `127.0.0.1:${databasePort}`,
    SVC_AI_PROVIDERS: JSON.stringify([fake.provider('fake')]),
    SVC_QUESTIONS_PER_MINUTE: '100000',
    SVC_QUESTIONS_PER_DAY: '10000000',
    SVC_LOG_LEVEL: 'warn',
    API_GATEWAY_URL: doors['api-gateway'],
    AUTH_SERVICE_URL: doors['auth-service'],
    DEPLOY_API_URL: doors['deploy-api'],
    MCP_SERVER_URL: doors['mcp-server'],
    WORKER_URL: doors.worker,
  }
  const ofB = {
    DATABASE_URL: databaseUrl.replace(`:${databasePort}/`, `:${relays.postgres.port}/`),
    REDIS_URL: `redis://127.0.0.1:${relays.redis.port}`,
  }
  const replicas = services.flatMap((service) =>
    ports[service].replicas.map((port, i) => {
      const own = { ...env, ...(i === 1 && ofB), PORT: String(port), SVC_SERVICES: service }
      return createReplica(`${service} ${'ab'[i]}`, service, own, sinkPort)
    }),
  )
  stack.defer(async () => {
    await Promise.all(replicas.map((replica) => replica.kill()))
  })
  // One process migrates; the others would only wait for it. None may be ready before its neighbours listen.
  await replicas[0]!.launch(options.checkout)
  for (let i = 1; i < replicas.length; i += 3) {
    await Promise.all(replicas.slice(i, i + 3).map((replica) => replica.launch(options.checkout)))
  }
  await Promise.all(replicas.map((replica) => replica.ready()))
  for (const door of Object.values(doors)) await until(async () => (await fetch(`${door}/healthz`)).status === 200)
  return {
    env,
    url: doors['api-gateway']!,
    mcpUrl: `${doors['api-gateway']}/mcp/platform`,
    databaseUrl,
    replicas,
    primary: servers[0]!,
    failOver: async () => {
      await servers[0]!.stop()
      await servers[1]!.promote()
    },
    stopRedis: () => redis.stop(),
    startRedis: () => redis.start(),
    cut: () => {
      for (const relay of Object.values(relays)) relay.pause()
    },
    mend: () => {
      for (const relay of Object.values(relays)) relay.resume()
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

async function startPostgres(stack: AsyncDisposableStack, hasStandby: boolean): Promise<OwnPostgres[]> {
  const primary = stack.use(await startOwnPostgres(PG))
  await onServer(primary.url, 'create database svc')
  if (!hasStandby) return [primary]
  const standby = stack.use(await startStandby(primary, { ...PG, wal_retrieve_retry_interval: '200ms' }))
  // Only now, because with the setting and without a standby every commit waits.
  await primary.psql(`alter system set synchronous_standby_names = 'standby'; select pg_reload_conf();`)
  return [primary, standby]
}

/** Answers 200 while the server is the primary, as Patroni does. */
async function openHealth(stack: AsyncDisposableStack, url: string): Promise<number> {
  const pool = new pg.Pool({ connectionString: url, max: 2, connectionTimeoutMillis: 1_000 })
  pool.on('error', () => undefined)
  const server = createServer((_, response) => {
    pool
      .query<{ standby: boolean }>('select pg_is_in_recovery() as standby')
      .then(({ rows }) => response.writeHead(rows[0]!.standby ? 503 : 200).end())
      .catch(() => response.writeHead(503).end())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  stack.defer(async () => {
    server.closeAllConnections()
    server.close()
    await pool.end()
  })
  return (server.address() as AddressInfo).port
}

async function startRedis(): Promise<
  AsyncDisposable & { port: number; stop(): Promise<void>; start(): Promise<void> }
> {
  const port = await freePort()
  let child: ChildProcess | undefined
  const start = async () => {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
    child = spawn('redis-server', args, { stdio: 'ignore', cwd: tmpdir() })
    await untilDone(async () => {
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      socket.destroy()
    })
  }
  const stop = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  await start()
  return { port, start, stop, [Symbol.asyncDispose]: stop }
}

type Ports = Record<ServiceName, { door: number; replicas: number[] }>

async function portsOf(services: readonly ServiceName[]): Promise<Ports> {
  const entries: [ServiceName, Ports[ServiceName]][] = []
  for (const name of services)
    entries.push([name, { door: await freePort(), replicas: [await freePort(), await freePort()] }])
  return Object.fromEntries(entries) as Ports
}

function createReplica(name: string, service: ServiceName, env: Environment, sinkPort: number): Replica {
  let running: ServerProcess | undefined
  const output: string[] = []
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (!running) return null
    const { child } = running
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal)
      await once(child, 'exit')
    }
    output.push(...running.output)
    running = undefined
    return child.exitCode
  }
  return {
    name,
    service,
    get output() {
      return [...output, ...(running?.output ?? [])]
    },
    kill: async () => void (await end('SIGKILL')),
    freeze: () => void running?.child.kill('SIGSTOP'),
    thaw: () => void running?.child.kill('SIGCONT'),
    terminate: () => end('SIGTERM'),
    launch: async (checkout = HERE) => {
      const main = join(checkout, 'src', 'server', 'main.ts')
      const worker = join(checkout, 'test', 'cluster', 'worker-program.ts')
      // An orchestrator starts a process again that could not reach the database in time.
      running = await untilDone(() => startProcess(env, service === 'worker' ? [worker, String(sinkPort)] : [main]))
    },
    ready: async () => {
      const { url } = running!
      await until(async () => (await fetch(`${url}/readyz`, { headers: { connection: 'close' } })).status === 200)
    },
  }
}

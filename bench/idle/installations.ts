import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { makeSecrets } from '../help/ours.ts'
import { type Server, start } from '../help/processes.ts'

const MAIN = join(import.meta.dirname, '../../src/server/main.ts')
const READY = /svc ready at (\S+)/
const SERVICES = ['auth-service', 'deploy-api', 'mcp-server', 'api-gateway', 'worker'] as const
const URL_NAMES = {
  'api-gateway': 'API_GATEWAY_URL',
  'auth-service': 'AUTH_SERVICE_URL',
  'deploy-api': 'DEPLOY_API_URL',
  'mcp-server': 'MCP_SERVER_URL',
  worker: 'WORKER_URL',
} as const

type Stores = { databaseUrl: string; redisUrl: string }

/**
 * The product in one process on the embedded engine. With the example, as `npm start` makes it, it runs an app whose worker is
 * connected and says every five seconds that it lives.
 */
export function startEmbedded(dataDir: string, hasExample: boolean): Promise<Server> {
  return run({ SVC_DATA_DIR: dataDir, PORT: '0', SVC_EXAMPLE: String(hasExample) })
}

/** The product in one process on Postgres. */
export function startWhole({ databaseUrl, redisUrl }: Stores, dataDir: string): Promise<Server> {
  return run({
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    SVC_DATA_DIR: dataDir,
    PORT: '0',
    ...makeSecrets(),
  })
}

/** The product in five processes on Postgres, one for each service. */
export async function startFive({ databaseUrl, redisUrl }: Stores, dataDir: string): Promise<Server[]> {
  const secrets = makeSecrets()
  const first = randomInt(20_000, 30_000)
  // The port of apps is the next one.
  const ports = new Map(SERVICES.map((service, place) => [service, first + 2 * place]))
  const urls = SERVICES.map((service) => [URL_NAMES[service], `http://127.0.0.1:${ports.get(service)}`])
  const servers: Server[] = []
  for (const service of SERVICES) {
    const env = {
      ...secrets,
      ...Object.fromEntries(urls),
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      SVC_SERVICES: service,
      SVC_DATA_DIR: join(dataDir, service),
      SVC_REDIRECT_BASE_URL: 'http://127.0.0.1',
      PORT: String(ports.get(service)),
    }
    servers.push(await run(env))
  }
  return servers
}

function run(env: NodeJS.ProcessEnv): Promise<Server> {
  const settings = { HOST: '127.0.0.1', SVC_LOG_LEVEL: 'warn', ...env }
  return start(process.execPath, ['--max-semi-space-size=16', MAIN], READY, { env: settings })
}

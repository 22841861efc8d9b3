import type { EnvironmentReader } from './reader.ts'
import { SERVICE_NAMES, SERVICE_TABLE, type ServiceName } from './service-table.ts'

export type ServiceSettings = ReturnType<typeof readServices>
/** Addresses of services that run in other processes. */
type ServiceUrls = Readonly<Partial<Record<ServiceName, string>>>

const URL_VARIABLES: Partial<Record<ServiceName, string>> = {
  'auth-service': 'AUTH_SERVICE_URL',
  'deploy-api': 'DEPLOY_API_URL',
  'mcp-server': 'MCP_SERVER_URL',
  'api-gateway': 'API_GATEWAY_URL',
  worker: 'WORKER_URL',
}

/** Reads which services this process runs, and where the others are. */
export function readServices(read: EnvironmentReader) {
  const urls = readUrls(read)
  /** Where people sign in when the auth service is hosted elsewhere. */
  const authLoginUrl = read.url('AUTH_LOGIN_URL', ['http:', 'https:'])
  return { services: readNames(read, urls), urls, authLoginUrl }
}

function readUrls(read: EnvironmentReader): ServiceUrls {
  const entries = Object.entries(URL_VARIABLES).map(([name, variable]) => {
    return [name, read.url(variable, ['http:', 'https:'])] as const
  })
  return Object.freeze(Object.fromEntries(entries.filter(([, url]) => url !== undefined)))
}

/** `all` leaves out the services that have an address elsewhere. */
function readNames(read: EnvironmentReader, urls: ServiceUrls): readonly ServiceName[] {
  const names = read.list('SVC_SERVICES')
  if (names.length === 0 || (names.length === 1 && names[0] === 'all')) {
    return SERVICE_NAMES.filter((name) => urls[name] === undefined)
  }
  for (const name of names) {
    if (!SERVICE_NAMES.some((serviceName) => serviceName === name)) {
      read.fault(`SVC_SERVICES names ${name}, which is not a service. Services: all, ${SERVICE_NAMES.join(', ')}`)
    }
  }
  return SERVICE_NAMES.filter((name) => names.includes(name))
}

/** The embedded database has room for one process, so every service runs in it or has an address elsewhere. */
export function checkEmbeddedServices({ services, urls }: ServiceSettings, read: EnvironmentReader): void {
  if (SERVICE_NAMES.every((name) => services.includes(name) || urls[name])) return
  read.fault(
    'SVC_SERVICES names only some services, which requires DATABASE_URL: the embedded database serves one process',
  )
}

/** Each service that this process calls runs here or has an address. */
export function checkServiceUrls({ services, urls }: ServiceSettings, read: EnvironmentReader): void {
  for (const name of new Set(services.flatMap((service) => SERVICE_TABLE[service].calls))) {
    if (services.includes(name) || urls[name]) continue
    read.fault(`${URL_VARIABLES[name]} is required, because ${name} does not run in this process`)
  }
}

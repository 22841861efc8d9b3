import { isLoopback } from '#lib/net/loopback.ts'
import type { EnvironmentReader } from './reader.ts'
import type { Secrets } from './secrets.ts'
import type { ServiceName } from './service-table.ts'
import type { SignInSettings } from './sign-in.ts'

/** How agents reach this installation. */
export type ConnectorSettings = {
  /** Address of the auth service as agents see it, where it differs from the address people see. */
  issuer: string | undefined
  /** Address under which the MCP endpoints stand. */
  mcpUrl: string | undefined
  /** Accepts any port for loopback redirects that were registered with one. Those registered without a port always do. */
  loopbackAnyPort: boolean
  /** False where the installation cannot fetch the metadata documents by which clients describe themselves. */
  clientDocuments: boolean
}

export function readConnector(read: EnvironmentReader): Readonly<ConnectorSettings> {
  return Object.freeze({
    issuer: readIssuer(read),
    mcpUrl: readPublicUrl(read, 'SVC_MCP_PUBLIC_URL'),
    loopbackAnyPort: read.flag('SVC_LOOPBACK_ANY_PORT', false),
    clientDocuments: read.oneOf('SVC_CLIENT_DOCUMENTS', ['on', 'off'], 'on') === 'on',
  })
}

/** An issuer with a path has its metadata at another place (RFC 8414 section 3.1), where some agents do not look. */
function readIssuer(read: EnvironmentReader): string | undefined {
  const url = readPublicUrl(read, 'SVC_AUTH_PUBLIC_URL')
  if (url !== undefined && new URL(url).pathname !== '/') read.fault('SVC_AUTH_PUBLIC_URL must have no path')
  return url
}

function readPublicUrl(read: EnvironmentReader, name: string): string | undefined {
  const text = read.url(name, ['http:', 'https:'])
  const url = text === undefined ? null : URL.parse(text)
  if (!url) return undefined
  if (url.search || url.hash || url.username || url.password) read.fault(`${name} must have no query and no user`)
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    read.fault(`${name} must be https (http only for localhost, 127.0.0.1 and [::1])`)
  }
  return url.href.replace(/\/+$/, '')
}

type ConnectorParts = {
  services: readonly ServiceName[]
  secrets: Partial<Secrets>
  signIn: SignInSettings
  connector: ConnectorSettings
}

/** Services that run apart know each other's addresses inside the cluster only, so the public ones must be set. */
export function checkConnector(
  { services, secrets, signIn, connector }: ConnectorParts,
  read: EnvironmentReader,
): void {
  if (secrets.actorAssertionSecret === undefined) return
  if (services.includes('mcp-server') && !secrets.jwtSecret) {
    read.fault('SVC_JWT_SECRET is also required by mcp-server if SVC_ACTOR_ASSERTION_SECRET is set')
  }
  const runApart = services.includes('auth-service') !== services.includes('mcp-server')
  const hasPublicUrls = signIn.redirectBaseUrl ?? (connector.issuer && connector.mcpUrl)
  if (runApart && !hasPublicUrls) {
    read.fault(
      'SVC_ACTOR_ASSERTION_SECRET requires SVC_REDIRECT_BASE_URL, or SVC_AUTH_PUBLIC_URL and SVC_MCP_PUBLIC_URL',
    )
  }
}

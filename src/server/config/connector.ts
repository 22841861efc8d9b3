import { isLoopback } from '#lib/net/address/loopback.ts'
import type { EnvironmentReader } from './reader.ts'
import type { Secrets } from './secrets.ts'
import type { ServiceName } from './service-table.ts'
import type { SignInSettings } from './sign-in.ts'

/** Reads how agents reach this installation. */
export function readConnector(read: EnvironmentReader) {
  return Object.freeze({
    /** Address of the auth service as agents see it, where it differs from the address people see. */
    issuer: readIssuer(read),
    /** Address under which the MCP endpoints stand. */
    mcpUrl: readPublicUrl(read, 'SVC_MCP_PUBLIC_URL'),
    /** Accepts any port for loopback redirects that were registered with one. Those registered without a port always do. */
    loopbackAnyPort: read.flag('SVC_LOOPBACK_ANY_PORT', false),
    /** Redirect URIs with schemes of their own that are accepted, as a whole. */
    redirectSchemes: readRedirectSchemes(read),
    /** Whether an owner can let the company's identity provider vouch for agents. */
    companySignOn: read.flag('SVC_COMPANY_SIGN_ON', false),
    /** False where the installation cannot fetch the metadata documents by which clients describe themselves. */
    clientDocuments: read.oneOf('SVC_CLIENT_DOCUMENTS', ['on', 'off'], 'on') === 'on',
  })
}

/** The redirect URI that the documentation of Cursor names. */
const CURSOR = 'cursor://anysphere.cursor-mcp/oauth/callback'
/** Schemes that open no program, or one that would run or show what the address contains. */
const REFUSED_SCHEMES = ['http:', 'https:', 'javascript:', 'data:', 'file:', 'blob:', 'about:', 'vbscript:', 'mailto:']

/** Set to nothing, it accepts none. */
function readRedirectSchemes(read: EnvironmentReader): readonly string[] {
  const uris = read.textOrEmpty('SVC_REDIRECT_SCHEMES') === undefined ? [CURSOR] : read.list('SVC_REDIRECT_SCHEMES')
  for (const uri of uris) {
    if (!isProgramRedirect(uri)) {
      read.fault(`SVC_REDIRECT_SCHEMES must list whole addresses with a scheme of a program, such as ${CURSOR}`)
    }
  }
  return uris
}

/** Without a host the scheme must be a domain name in reverse order, which belongs to somebody (RFC 8252 section 7.1). */
function isProgramRedirect(uri: string): boolean {
  const url = URL.parse(uri)
  if (url?.href !== uri || /[*#]/.test(uri) || url.username !== '' || url.password !== '') return false
  const hasOwner = url.host !== '' || (url.protocol.includes('.') && url.pathname.startsWith('/'))
  return hasOwner && !REFUSED_SCHEMES.includes(url.protocol)
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
  connector: ReturnType<typeof readConnector>
}

/** The tenant of all personal Microsoft accounts, which is no company. */
const CONSUMERS_TENANT_ID = '9188040d-6c67-4c5b-b112-36a304b66dad'

/** Issuers of the identity providers that belong to one company each. */
export function companyIssuers({ oidc, microsoft }: SignInSettings): string[] {
  const tenantId = microsoft?.tenantId ?? ''
  const isOneTenant = /^[0-9a-f-]{36}$/.test(tenantId) && tenantId !== CONSUMERS_TENANT_ID
  return [
    ...(oidc ? [oidc.issuer] : []),
    ...(isOneTenant ? [`https://login.microsoftonline.com/${tenantId}/v2.0`] : []),
  ]
}

export function checkCompanySignOn({ services, signIn, connector }: ConnectorParts, read: EnvironmentReader): void {
  if (connector.companySignOn && services.includes('auth-service') && companyIssuers(signIn).length === 0) {
    read.fault('SVC_COMPANY_SIGN_ON requires SVC_OIDC_ISSUER, or SVC_MICROSOFT_TENANT_ID of one tenant')
  }
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

export type ConnectorSettings = {
  /** The address of the auth service as agents see it, where it is not the address people see. */
  issuer: string | undefined
  /** The address under which the MCP endpoints stand. */
  mcpUrl: string | undefined
  /** Loopback redirects registered with a port may come back to another one, as those without a port always may. */
  loopbackAnyPort: boolean
  /** False where the installation cannot reach the documents by which clients describe themselves. */
  clientDocuments: boolean
}

type Read = {
  url(name: string, protocols: readonly string[]): string | undefined
  oneOf<const T extends string>(name: string, choices: readonly T[], fallback: T): T
  fault(text: string): void
}

export const CONNECTOR_VARIABLES = [
  'SVC_ACTOR_ASSERTION_SECRET',
  'SVC_AUTH_PUBLIC_URL',
  'SVC_MCP_PUBLIC_URL',
  'SVC_LOOPBACK_ANY_PORT',
  'SVC_CLIENT_DOCUMENTS',
] as const

export function readConnector(read: Read): Readonly<ConnectorSettings> {
  return Object.freeze({
    issuer: readIssuer(read),
    mcpUrl: readPublicUrl(read, 'SVC_MCP_PUBLIC_URL'),
    loopbackAnyPort: read.oneOf('SVC_LOOPBACK_ANY_PORT', ['true', 'false'], 'false') === 'true',
    clientDocuments: read.oneOf('SVC_CLIENT_DOCUMENTS', ['on', 'off'], 'on') === 'on',
  })
}

/** RFC 8414 puts the metadata of an issuer with a path elsewhere, and not every agent looks there. */
function readIssuer(read: Read): string | undefined {
  const url = readPublicUrl(read, 'SVC_AUTH_PUBLIC_URL')
  if (url !== undefined && new URL(url).pathname !== '/') read.fault('SVC_AUTH_PUBLIC_URL must have no path')
  return url
}

function readPublicUrl(read: Read, name: string): string | undefined {
  const text = read.url(name, ['http:', 'https:'])
  const url = text === undefined ? null : URL.parse(text)
  if (!url) return undefined
  if (url.search || url.hash || url.username || url.password) read.fault(`${name} must have no query and no user`)
  if (url.protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)) {
    read.fault(`${name} must be https (http only for localhost, 127.0.0.1 and [::1])`)
  }
  return url.href.replace(/\/+$/, '')
}

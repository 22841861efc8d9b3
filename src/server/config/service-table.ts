export const SERVICE_NAMES = ['api-gateway', 'auth-service', 'deploy-api', 'mcp-server', 'worker'] as const
export type ServiceName = (typeof SERVICE_NAMES)[number]

type Row = {
  /** Paths that belong to it. The api-gateway forwards them. */
  readonly prefixes: readonly string[]
  /** Services it calls. */
  readonly calls: readonly ServiceName[]
}

/** The api-gateway is the public entry. Paths that no other service has belong to it. */
export const SERVICE_TABLE: Record<ServiceName, Row> = {
  'api-gateway': { prefixes: [], calls: ['auth-service', 'deploy-api', 'mcp-server'] },
  'auth-service': { prefixes: ['/api/v1', '/auth', '/oauth', '/.well-known/oauth-authorization-server'], calls: [] },
  'deploy-api': { prefixes: ['/api/deploy'], calls: ['auth-service'] },
  'mcp-server': {
    prefixes: ['/mcp', '/.well-known/oauth-protected-resource'],
    calls: ['auth-service', 'api-gateway', 'deploy-api'],
  },
  worker: { prefixes: [], calls: ['deploy-api'] },
}

/** Returns the service that has this path, or undefined for the api-gateway's own paths. */
export function ownerOf(path: string): ServiceName | undefined {
  return SERVICE_NAMES.find((name) =>
    SERVICE_TABLE[name].prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`)),
  )
}

export const SERVICE_NAMES = ['api-gateway', 'auth-service', 'deploy-api', 'mcp-server', 'worker'] as const
export type ServiceName = (typeof SERVICE_NAMES)[number]

type Row = {
  /** Paths that belong to it; the door forwards them there. */
  readonly prefixes: readonly string[]
  /** Neighbours it calls. */
  readonly calls: readonly ServiceName[]
}

/** The api-gateway is the public door: what no other service owns is its own. */
export const SERVICE_TABLE: Record<ServiceName, Row> = {
  'api-gateway': { prefixes: [], calls: ['auth-service', 'deploy-api', 'mcp-server'] },
  'auth-service': { prefixes: ['/api/v1', '/auth', '/oauth', '/.well-known/oauth-authorization-server'], calls: [] },
  'deploy-api': { prefixes: ['/api/deploy'], calls: ['auth-service'] },
  'mcp-server': { prefixes: ['/mcp', '/.well-known/oauth-protected-resource'], calls: ['auth-service', 'api-gateway'] },
  worker: { prefixes: [], calls: [] },
}

/** Whose path it is, or undefined for the door's own. */
export function ownerOf(path: string): ServiceName | undefined {
  return SERVICE_NAMES.find((name) =>
    SERVICE_TABLE[name].prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`)),
  )
}

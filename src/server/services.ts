import type { Service, ServiceParts } from './compose/parts.ts'

export const SERVICE_NAMES = ['api-gateway', 'auth-service', 'deploy-api', 'mcp-server', 'worker'] as const
export type ServiceName = (typeof SERVICE_NAMES)[number]

type Entry = {
  /** Paths that belong to it; the door forwards them there. */
  readonly prefixes: readonly string[]
  /** Neighbours it calls. */
  readonly calls: readonly ServiceName[]
  readonly load: () => Promise<{ compose(parts: ServiceParts): Service }>
}

/** The one map of services. The api-gateway is the public door: what no other service owns is its own. */
export const SERVICES: Record<ServiceName, Entry> = {
  'api-gateway': {
    prefixes: [],
    calls: ['auth-service', 'deploy-api', 'mcp-server'],
    load: () => import('./compose/api-gateway.ts'),
  },
  'auth-service': {
    prefixes: ['/api/v1', '/auth', '/oauth', '/.well-known/oauth-authorization-server'],
    calls: [],
    load: () => import('./compose/auth-service.ts'),
  },
  'deploy-api': {
    prefixes: ['/api/deploy'],
    calls: ['auth-service'],
    load: () => import('./compose/deploy-api.ts'),
  },
  'mcp-server': {
    prefixes: ['/mcp', '/.well-known/oauth-protected-resource'],
    calls: ['auth-service', 'api-gateway'],
    load: () => import('./compose/mcp-server.ts'),
  },
  worker: { prefixes: [], calls: [], load: () => import('./compose/worker.ts') },
}

/** Whose path it is, or undefined for the door's own. */
export function ownerOf(path: string): ServiceName | undefined {
  return SERVICE_NAMES.find((name) =>
    SERVICES[name].prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`)),
  )
}

import type { Service, ServiceParts } from '../compose/parts.ts'
import type { ServiceName } from './service-table.ts'

type Load = () => Promise<{ compose(parts: ServiceParts): Service }>

/** A process loads the code of the services it runs, and of no other. */
export const SERVICES: Record<ServiceName, Load> = {
  'api-gateway': () => import('../compose/api-gateway.ts'),
  'auth-service': () => import('../compose/auth-service.ts'),
  'deploy-api': () => import('../compose/deploy-api.ts'),
  'mcp-server': () => import('../compose/mcp-server.ts'),
  worker: () => import('../compose/worker.ts'),
}

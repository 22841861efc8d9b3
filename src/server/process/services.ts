import type { Service, ServiceParts, WorkerService } from '../compose/parts.ts'
import type { ServiceName } from '../config/service-table.ts'

type Load<S extends Service> = () => Promise<{ compose(parts: ServiceParts): S }>
type Services = Record<Exclude<ServiceName, 'worker'>, Load<Service>> & { readonly worker: Load<WorkerService> }

/** Loads the code of a service, so that a process has the code of the services it runs and no other. */
export const SERVICES: Services = {
  'api-gateway': () => import('../compose/api-gateway.ts'),
  'auth-service': () => import('../compose/auth-service.ts'),
  'deploy-api': () => import('../compose/deploy-api.ts'),
  'mcp-server': () => import('../compose/mcp-server.ts'),
  worker: () => import('../compose/worker.ts'),
}

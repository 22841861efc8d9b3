import { join } from 'node:path'
import { deriveKey } from '#lib/crypto/keys.ts'
import { AppDoor, createSocketSeries } from '../areas/apps/index.ts'
import type { Resources } from '../compose/parts.ts'
import type { ServiceName } from '../config/service-table.ts'

type Options = {
  readonly services: readonly ServiceName[]
  readonly host: string
  /** The port of this process, and whether the operator chose it. */
  readonly port: number
  readonly isPortChosen: boolean
}

/** Opens the port of apps where requests to them arrive: at the api-gateway, and at the worker for the api-gateway. */
export async function openAppDoor(resources: Resources, options: Options): Promise<AppDoor | undefined> {
  const { services, host, port, isPortChosen } = options
  if (!services.includes('api-gateway') && !services.includes('worker')) return undefined
  const { config, log } = resources
  const series = createSocketSeries(resources.metrics.registry)
  const { port: chosen, domain } = config.apps
  const open = (appsPort: number) =>
    AppDoor.open({
      settings: {
        host,
        port: appsPort,
        domain: domain ?? 'localhost',
        isSecure: domain !== undefined,
        trustedProxies: config.trustedProxies,
        // A key of its own, so that who takes over the process that meets the bytes of apps can sign nothing else.
        hopSecret: deriveKey(Buffer.from(config.secrets.internalSecret, 'hex'), 'app-door').toString('hex'),
      },
      log,
      series,
      pidFile: (at) => join(config.dataDir, `app-door-${at}.pid`),
    })
  if (chosen !== undefined) return open(chosen)
  const next = isPortChosen && port < 65_535 ? port + 1 : 0
  return open(next).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE' || next === 0) throw error
    log.warn({ port: next }, 'the port for apps is in use; another one is taken: set SVC_APPS_PORT')
    return open(0)
  })
}

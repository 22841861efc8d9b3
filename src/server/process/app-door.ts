import { join, resolve } from 'node:path'
import { deriveKey } from '#lib/crypto/keys.ts'
import { AppCounts, AppDoor, createSocketSeries, KeptDoor } from '../areas/apps/index.ts'
import type { Resources } from '../compose/parts.ts'
import type { ServiceName } from '../config/service-table.ts'

type Options = {
  readonly services: readonly ServiceName[]
  readonly host: string
  /** The port of this process, and whether the operator chose it. */
  readonly port: number
  readonly isPortChosen: boolean
  /** Whether apps go on when this process stops. */
  readonly leavesApps: () => boolean
}

/** For how long apps run without a server: nobody else can host those of an embedded database. */
const HOLD_MS = { embedded: 10 * 60_000, postgres: 100_000 }

/** Opens the port of apps where requests to them arrive: at the api-gateway, and at the worker for the api-gateway. */
export async function openAppDoor(resources: Resources, options: Options): Promise<AppDoor | KeptDoor | undefined> {
  const { services, host, port, isPortChosen, leavesApps } = options
  if (!services.includes('api-gateway') && !services.includes('worker')) return undefined
  const { config, log } = resources
  const series = createSocketSeries(resources.metrics.registry)
  const counts = new AppCounts()
  const { port: chosen, domain } = config.apps
  const { dataDir } = config
  const isKept = services.includes('worker') && config.apps.deploysOff === undefined && !config.kubernetes
  const renewsHold = config.databaseUrl !== undefined
  const holdMs = HOLD_MS[renewsHold ? 'postgres' : 'embedded']
  const open = (appsPort: number) => {
    const settings = {
      host,
      port: appsPort,
      domain: domain ?? 'localhost',
      isSecure: domain !== undefined,
      trustedProxies: config.trustedProxies,
      // A key of its own, so that who takes over the process that meets the bytes of apps can sign nothing else.
      hopSecret: deriveKey(Buffer.from(config.secrets.internalSecret, 'hex'), 'app-door').toString('hex'),
    }
    return isKept
      ? KeptDoor.open({ settings, log, series, dataDir: resolve(dataDir), holdMs, renewsHold, leavesApps })
      : AppDoor.open({ settings, log, series, counts, pidFile: (at) => join(dataDir, `app-door-${at}.pid`) })
  }
  if (chosen !== undefined) return open(chosen)
  const next = isPortChosen && port < 65_535 ? port + 1 : 0
  try {
    return await open(next)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || next === 0) throw error
    log.warn({ port: next }, 'the port for apps is in use; another one is taken: set SVC_APPS_PORT')
    return open(0)
  }
}

import { type Apps, createApps, createProcessTarget, type Hosting } from '../areas/apps/index.ts'
import { composeAppTraffic } from './app-traffic.ts'
import type { ServiceParts } from './parts.ts'
import { composePeople } from './people.ts'

/** Builds the area. deploy-api mounts its routes; the worker runs its loops and slots, and the apps. */
export function composeApps(parts: ServiceParts, hosting?: Hosting): Apps {
  const { deploysOff, logRetentionDays, logBytesPerApp } = parts.config.apps
  return createApps({
    ...parts,
    ...parts.config.revisions,
    people: composePeople(parts),
    urlOf: parts.publicUrls.ofApp,
    deploysOff,
    logRetentionDays,
    logBytesPerApp,
    hosting,
  })
}

/** What the worker runs apps with. Undefined where it must not. */
export function composeHosting(parts: ServiceParts): Hosting | undefined {
  const { config, log, publicUrls } = parts
  if (config.apps.deploysOff !== undefined) return undefined
  const { memoryBytes, buildMemoryBytes } = config.apps
  const { traffic, logs } = parts.shared(composeAppTraffic)
  const onError = (error: unknown, app?: string) =>
    log.error({ error, app }, 'work on an app failed; it is tried again')
  const target = createProcessTarget({
    dataDir: config.dataDir,
    apiOrigin: () => publicUrls.signIn,
    onError,
    limits: { memoryBytes, buildMemoryBytes },
  })
  return { target, traffic, writeLog: logs.write, logStored: logs.stored, onError }
}

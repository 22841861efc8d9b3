import { setTimeout as sleep } from 'node:timers/promises'
import { createWorkloadSigner } from '#edge/credentials/workload-token.ts'
import { createClusterFetch } from '#lib/net/cluster-fetch.ts'
import {
  type AppNetwork,
  type Apps,
  createApps,
  createAppTrials,
  createKubernetesClient,
  createKubernetesTarget,
  createProcessTarget,
  type Door,
  type Hosting,
  type KubernetesTarget,
  listAppIds,
  startingNote,
} from '../areas/apps/index.ts'
import { EXAMPLE_APP } from '../areas/example/index.ts'
import { saveAppLimits } from '../files/app-limits-file.ts'
import { assets } from '../files/assets.ts'
import { composeAppTraffic } from './app-traffic.ts'
import type { Resources, ServiceParts } from './parts.ts'
import { composePeople, isHosted } from './people.ts'

/** Builds the area. deploy-api mounts its routes; the worker runs its loops and slots, and the apps. */
export function composeApps(parts: ServiceParts, hosting?: Hosting & Pick<Door, 'takeCounts'>): Apps {
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

/** Builds the parts with which the worker runs apps. Returns undefined where it must not run any. */
export function composeHosting(parts: ServiceParts) {
  const { config, publicUrls, appDoor } = parts
  if (config.apps.deploysOff !== undefined || !appDoor) return undefined
  const { memoryBytes, buildMemoryBytes, organization, processesOff } = config.apps
  const { traffic, logs } = parts.shared(composeAppTraffic)
  const onError = (error: unknown, app?: string) =>
    parts.log.error({ error, app }, 'work on an app failed; it is tried again')
  const processes = createProcessTarget({
    dataDir: config.dataDir,
    network: appDoor,
    sandboxes: 'sandboxes' in appDoor ? appDoor.sandboxes : undefined,
    apiOrigin: () => publicUrls.signIn,
    onError,
    tokens: composeTokens(parts),
    limits: { memoryBytes, buildMemoryBytes, organization },
    appIdsOf: (orgId) => listAppIds(parts.db, orgId),
    unsandboxed: config.apps.allowsUnsandboxed ? 'all' : { ...EXAMPLE_APP, folder: assets.exampleApp() },
  })
  // Undefined where no builds run on this machine.
  const tryRevision =
    processesOff === undefined ? createAppTrials({ db: parts.db, run: processes.runTrial, onError }) : undefined
  const pods = parts.shared(composePods)
  pods.connect(appDoor)
  const target = pods.target ?? processes
  /** Returns lines for the operator about the limits of apps, and about those that are not running yet. Pods go on. */
  const notes = async () => {
    const limits = processesOff === undefined ? await processes.limitsInForce() : undefined
    saveAppLimits(config.dataDir, limits)
    const haveGoneOn = 'foundKeeper' in appDoor && appDoor.foundKeeper
    const hasOthers = config.databaseUrl !== undefined
    const starting = pods.target ? undefined : await startingNote({ db: parts.db, hasOthers, haveGoneOn })
    return [limits?.line, starting].filter((line) => line !== undefined)
  }
  const takeCounts = () => appDoor.takeCounts()
  return { target, traffic, writeLog: logs.write, logStored: logs.stored, onError, takeCounts, tryRevision, notes }
}

/** Returns undefined where nobody would accept the tokens of apps: an auth service elsewhere has other secrets. */
function composeTokens(parts: ServiceParts) {
  const { projectedAudience: audience } = parts.config.workload
  if (audience === undefined || isHosted(parts)) return undefined
  const { internalSecret } = parts.config.secrets
  return { sign: createWorkloadSigner({ internalSecret, audience, clock: parts.clock }) }
}

/** Apps as pods of a cluster. `target` is undefined where the configuration does not say so. */
type Pods = AsyncDisposable & {
  readonly target: KubernetesTarget | undefined
  /** Sets how pods are reached. */
  readonly connect: (network: AppNetwork) => void
}

/**
 * Use it through `parts.shared`: the worker runs the apps, and every door sends requests to them. The API server is an
 * address of the operator, so it is called as one; a Service is an address that svc makes from its own ids.
 */
export function composePods({ config, clock, log }: Resources): Pods {
  if (!config.kubernetes) return { target: undefined, connect: () => {}, [Symbol.asyncDispose]: async () => {} }
  let network: AppNetwork | undefined
  const { apiServer, credentialsDir, ...settings } = config.kubernetes
  const { memoryBytes, buildMemoryBytes } = config.apps
  // A watch or a log can be silent for as long as nothing happens.
  const send = createClusterFetch(apiServer, credentialsDir, { bodyTimeoutMs: 0 })
  const target = createKubernetesTarget({
    client: createKubernetesClient(send),
    settings: { ...settings, memoryBytes, buildMemoryBytes },
    credentialsDir,
    network: () => {
      if (!network) throw new Error('this process reaches no apps')
      return network
    },
    now: () => clock.now(),
    delay: (ms, signal) => sleep(ms, undefined, { signal, ref: false }).catch(() => {}),
    onError: (error) => log.warn({ error }, 'a call of the Kubernetes API server failed; it is tried again'),
  })
  const close = async () => {
    await target[Symbol.asyncDispose]()
    await send[Symbol.asyncDispose]()
  }
  const connect = (given: AppNetwork) => {
    network ??= given
  }
  return { target, connect, [Symbol.asyncDispose]: close }
}

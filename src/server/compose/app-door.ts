import type { ServiceFetch } from '#edge/route/route.ts'
import {
  appLabelOf,
  createWhyAbsent,
  type FoundApp,
  failHarmfulDeploy,
  findLiveDeploy,
  movedToDoor,
} from '../areas/apps/index.ts'
import { composeAppTraffic } from './app-traffic.ts'
import { composePods } from './apps.ts'
import type { ServiceParts } from './parts.ts'
import { WORKER_DOOR_PATH } from './worker-door.ts'

/** Lets the api-gateway's door find apps, and sends requests for apps at the port of svc itself there. */
export function composeAppDoor(parts: ServiceParts, others: ServiceFetch): ServiceFetch {
  const domain = parts.config.apps.domain ?? 'localhost'
  const { appDoor } = parts
  if (!appDoor) return others
  if (!parts.running.includes('worker')) serveElsewhere(parts, appDoor)
  return async (request, info) => {
    const label = appLabelOf(request.headers.get('host'), domain)
    return label === undefined ? others(request, info) : movedToDoor(request, label, { domain, port: appDoor.port })
  }
}

/** The apps run behind the door of the worker, so the process behind this one is needed from the start. */
function serveElsewhere(parts: ServiceParts, appDoor: NonNullable<ServiceParts['appDoor']>): void {
  appDoor.serve(async () => {
    const address = await parts.findWorkerDoor()
    return { to: address ? { type: 'worker', address } : { type: 'no_worker' } }
  })
  appDoor
    .start()
    .catch((error: unknown) => parts.log.error({ error }, 'the process for requests to apps did not start'))
}

/** Lets the worker's door find the apps of this process, and tells other processes where it is. */
export function composeWorkerDoor(parts: ServiceParts, others: ServiceFetch): ServiceFetch {
  const { appDoor } = parts
  const whyAbsent = createWhyAbsent({ ...parts, traffic: parts.shared(composeAppTraffic).traffic })
  appDoor?.serve((label) => findApp(parts, whyAbsent, label))
  return async (request, info) => {
    const isAsked = appDoor && new URL(request.url).pathname === WORKER_DOOR_PATH && parts.isSigned(request)
    return isAsked ? Response.json({ port: appDoor.port }) : others(request, info)
  }
}

type WhyAbsent = ReturnType<typeof createWhyAbsent>

async function findApp(parts: ServiceParts, whyAbsent: WhyAbsent, label: string): Promise<FoundApp> {
  const { traffic } = parts.shared(composeAppTraffic)
  const served = traffic.find(label)
  if (served)
    return { to: { type: 'app', address: served.address }, begin: served.begin, beginSocket: served.beginSocket }
  let found: FoundApp | undefined
  const absence = await traffic.absent.find(label, async () => {
    found = await findPod(parts, label)
    return found ? undefined : whyAbsent(label)
  })
  return found ?? noApp(absence)
}

function noApp(absence: Awaited<ReturnType<WhyAbsent>> | undefined): FoundApp {
  if (absence === 'unknown') return { to: { type: 'unknown' } }
  return { to: { type: 'not_running', isStarting: absence === 'starting' }, isApp: absence !== undefined }
}

/** A pod can be reached from every process, so that requests need not arrive at the one that hosts the app. */
async function findPod(parts: ServiceParts, label: string): Promise<FoundApp | undefined> {
  const { target } = parts.shared(composePods)
  const live = target && (await findLiveDeploy(parts.db, label))
  if (!live) return undefined
  const { deployId } = live
  const writeLog = parts.shared(composeAppTraffic).logs.write
  const onHarmful = () => {
    failHarmfulDeploy({ ...parts, writeLog }, deployId).catch((error: unknown) =>
      parts.log.error({ error, deployId }, 'an app whose answers end the process for requests to apps was not stopped'),
    )
  }
  return { to: { type: 'app', address: target.addressOf(live) }, deploy: { deployId, onHarmful } }
}

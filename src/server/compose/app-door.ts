import type { ServiceFetch } from '#edge/http/route.ts'
import {
  appLabelOf,
  createAppDirectory,
  createAppDoor,
  findLiveDeploy,
  type KubernetesTarget,
} from '../areas/apps/index.ts'
import { composeAppTraffic } from './app-traffic.ts'
import { composePods } from './apps.ts'
import type { ForwardToApp, ServiceParts } from './parts.ts'

/** Answers requests to apps by their host name, and passes all others on. */
export function composeAppDoor(parts: ServiceParts, others: ServiceFetch): ServiceFetch {
  const domain = parts.config.apps.domain ?? 'localhost'
  const answer = parts.running.includes('worker') ? composeLocalDoor(parts) : parts.forwardToApp
  return async (request, info) => {
    const host = request.headers.get('host') ?? ''
    const label = appLabelOf(host, domain)
    if (label === undefined) return others(request, info)
    const isSecure = parts.config.apps.domain !== undefined
    return answer({ label, request, host, isSecure, clientAddress: info.clientAddress }, info)
  }
}

/** Answers requests that the api-gateway of another process forwarded to the apps of this one. */
export function composeForwardedApps(parts: ServiceParts, others: ServiceFetch): ServiceFetch {
  const answer = composeLocalDoor(parts)
  return async (request, info) => {
    const forwarded = parts.readForwardedApp(request)
    return forwarded ? answer(forwarded, info) : others(request, info)
  }
}

function composeLocalDoor(parts: ServiceParts): ForwardToApp {
  const { target } = parts.shared(composePods)
  return createAppDoor({
    traffic: parts.shared(composeAppTraffic).traffic,
    findElsewhere: target && ((label) => findPod(parts, target, label)),
    hasApp: (label) => createAppDirectory(parts).hasLabel(label),
    onError: (error, label) => parts.log.warn({ error, app: label }, 'an app did not answer a request'),
  })
}

/** A pod can be reached from every process, so that requests need not arrive at the one that hosts the app. */
async function findPod({ db }: ServiceParts, target: KubernetesTarget, label: string) {
  const deploy = await findLiveDeploy(db, label)
  return deploy && { fetch: (request: Request) => target.fetchDeploy(deploy, request) }
}

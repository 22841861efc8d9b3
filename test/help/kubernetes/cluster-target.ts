import { setTimeout as sleep } from 'node:timers/promises'
import { createClusterFetch } from '#lib/net/cluster-fetch.ts'
import { createDirectNetwork } from '../../../src/server/areas/apps/door/network.ts'
import { createKubernetesClient } from '../../../src/server/areas/apps/kubernetes/client.ts'
import {
  createKubernetesTarget,
  type KubernetesTarget,
} from '../../../src/server/areas/apps/kubernetes/kubernetes-target.ts'
import type { PodSettings } from '../../../src/server/areas/apps/kubernetes/manifests.ts'

/** Pauses of the target pass this much faster. */
const HASTE = 50

export const POD_SETTINGS: Omit<PodSettings, 'ownNamespace'> = {
  namespacePrefix: 'svc-',
  image: 'registry.example.com/svc:0.3.0',
  runnerImage: 'docker.io/library/node:24-bookworm-slim',
  pullConfig: undefined,
  apiUrl: 'http://svc-api-gateway.svc.svc',
  audience: 'svc-control-plane',
  memoryBytes: 512 * 2 ** 20,
  buildMemoryBytes: 2048 * 2 ** 20,
}

export function openClient(cluster: { url: string; credentialsDir: string }) {
  const send = createClusterFetch(cluster.url, cluster.credentialsDir, { bodyTimeoutMs: 0 })
  return { client: createKubernetesClient(send), [Symbol.asyncDispose]: () => send[Symbol.asyncDispose]() }
}

export const hasten = (ms: number, signal: AbortSignal) =>
  sleep(ms / HASTE, undefined, { signal }).then(
    () => {},
    () => {},
  )

/** The target `kubernetes` for a cluster, whose pods are reached as the nodes say. */
export function openClusterTarget(
  cluster: { url: string; credentialsDir: string },
  addressOf: (service: { name: string }) => { host: string; port: number },
): KubernetesTarget {
  const { client, ...connections } = openClient(cluster)
  const network = createDirectNetwork()
  const target = createKubernetesTarget({
    client,
    settings: POD_SETTINGS,
    credentialsDir: cluster.credentialsDir,
    network: () => network,
    addressOf,
    now: () => new Date(),
    delay: hasten,
    // The API server is stopped in tests, and what fails then is tried again.
    onError: () => {},
  })
  const close = async () => {
    await target[Symbol.asyncDispose]()
    await connections[Symbol.asyncDispose]()
  }
  return { ...target, [Symbol.asyncDispose]: close }
}

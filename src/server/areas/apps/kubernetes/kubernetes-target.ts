import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '#lib/message-of.ts'
import {
  type AppRef,
  type BuildRequest,
  type BuildResult,
  type DeployFacts,
  type Instance,
  StartError,
  type StartRequest,
  type Target,
} from '../deploys/target.ts'
import type { AppAddress } from '../door/messages.ts'
import type { AppNetwork } from '../door/network.ts'
import { SharedLogRate } from '../logs/log-rate.ts'
import { ApplyError, applyDeploy } from './apply.ts'
import type { ClusterDeps, KubernetesClient } from './client.ts'
import { DeployWatch } from './deploy-watch.ts'
import { APP_PORT, type PodSettings } from './manifests.ts'
import { APP_LABEL, DEPLOY_LABEL, nameOf, namespaceOf } from './names.ts'

type KubernetesTargetOptions = ClusterDeps & {
  readonly settings: Omit<PodSettings, 'ownNamespace'>
  /** Folder with the file `namespace` of the pod in which svc runs. */
  readonly credentialsDir: string
  readonly network: () => Pick<AppNetwork, 'attach'>
  /** Returns the host and port at which a Service is reached. */
  readonly addressOf?: (service: ServiceName) => { readonly host: string; readonly port: number }
  readonly now: () => Date
}

type ServiceName = { readonly namespace: string; readonly name: string }
/** A deploy of any app, as another process can reach it. */
type DeployRef = { readonly orgId: string; readonly deployId: string }

export type KubernetesTarget = Target &
  AsyncDisposable & {
    /** Returns where a deploy is reached that another process may host. */
    readonly addressOf: (deploy: DeployRef) => AppAddress
  }

/**
 * Runs apps as pods. Each deploy has a Deployment and a Service of its own, so that a new one starts beside the one that
 * serves. Pods go on while svc restarts: the process that hosts an app next finds them.
 */
export function createKubernetesTarget(options: KubernetesTargetOptions): KubernetesTarget {
  const { client, settings, onError, delay } = options
  const watches = new Map<string, DeployWatch>()
  const logRate = new SharedLogRate()
  let foundNamespace: Promise<string | undefined> | undefined
  const ownNamespace = () => (foundNamespace ??= readOwnNamespace(options.credentialsDir))

  const place = ({ orgId }: { orgId: string }) => namespaceOf(settings.namespacePrefix, orgId)
  const watchOf = (deploy: DeployFacts): DeployWatch => {
    const found =
      watches.get(deploy.deployId) ?? new DeployWatch({ ...options, ...settings, logRate }, place(deploy), deploy)
    watches.set(deploy.deployId, found)
    return found
  }
  const forget = async (deployId: string) => {
    const watch = watches.get(deployId)
    watches.delete(deployId)
    await watch?.close()
  }
  const apply = async (deploy: DeployFacts, variables: BuildRequest['environment'], signal: AbortSignal) => {
    const all = { ...settings, ownNamespace: await ownNamespace() }
    await applyDeploy({ client, settings: all, delay }, deploy, variables, signal)
  }
  /** The Deployment goes last: `listDeploys` finds the others by it when a removal is interrupted. */
  const remove = async (namespace: string, name: string) => {
    await client.remove(`/api/v1/namespaces/${namespace}/secrets/${name}`)
    await client.remove(`/api/v1/namespaces/${namespace}/services/${name}`)
    await client.remove(`/apis/apps/v1/namespaces/${namespace}/deployments/${name}`)
  }
  const removeOthers = async (app: AppRef, keep: readonly string[]) => {
    for (const { deployId, name } of await listDeploys(client, place(app), app)) {
      if (!keep.includes(deployId)) await remove(place(app), name)
    }
  }
  const findDeployment = async ({ id, ...app }: AppRef, deployId: string) => {
    const found = await client.get(`/apis/apps/v1/namespaces/${place(app)}/deployments/${nameOf(deployId)}`)
    return found?.metadata.labels?.[APP_LABEL] === id ? found : undefined
  }
  const addressOf = (deploy: DeployRef) =>
    (options.addressOf ?? clusterAddress)({ namespace: place(deploy), name: nameOf(deploy.deployId) })

  const build = async ({ deploy, environment, onLine, signal }: BuildRequest): Promise<BuildResult> => {
    if (deploy.startCommand === null)
      return { ok: false, code: 'START_FAILED', detail: 'The app has no start command.' }
    const { deployId } = deploy
    try {
      await apply(deploy, environment, signal)
      const result = await watchOf(deploy).untilStarted(onLine, signal)
      if (!result.ok) await remove(place(deploy), nameOf(deployId))
      if (!result.ok) await forget(deployId)
      return result
    } catch (error) {
      await forget(deployId)
      if (error instanceof ApplyError && !signal.aborted)
        return { ok: false, code: 'START_FAILED', detail: error.message }
      throw error
    }
  }

  const start = async (request: StartRequest): Promise<Instance> => {
    const { deploy, environment, onLine, storedLines, onHarmful, signal } = request
    try {
      const found = await findDeployment({ id: deploy.appId, orgId: deploy.orgId }, deploy.deployId)
      // Somebody may have removed it by hand.
      if (!found) await apply(deploy, environment, signal)
    } catch (error) {
      throw new StartError(messageOf(error), { cause: error })
    }
    const watch = watchOf(deploy)
    await watch.collectApp(onLine, async () => (await storedLines())?.at)
    const answering = { deployId: deploy.deployId, onHarmful }
    const attach = () => options.network().attach(addressOf(deploy), answering)
    const detach = () => attach()[Symbol.asyncDispose]()
    // Requests of visitors must be known to be answered by this deploy, before svc itself sends one.
    attach()
    return {
      get address() {
        return addressOf(deploy)
      },
      fetch: (sent) => attach().fetch(sent),
      ended: watch.nextEnd().then((description) => ({ description })),
      stop: async (graceMs) => {
        await remove(place(deploy), nameOf(deploy.deployId))
        await watch.untilGone(graceMs)
        await forget(deploy.deployId)
        await detach()
      },
      leave: async () => {
        await forget(deploy.deployId)
        await detach()
      },
    }
  }

  return {
    build,
    start,
    addressOf,
    findRelease: async (app, deployId) => ((await findDeployment(app, deployId)) ? { deployId } : undefined),
    prune: async (app, keep) => {
      await removeOthers(app, keep)
      // Nothing is kept of an app that is deleted.
      if (keep.length === 0) await client.remove(`/api/v1/namespaces/${place(app)}/serviceaccounts/${nameOf(app.id)}`)
    },
    endOrphans: (app, deploys) =>
      removeOthers(
        app,
        deploys.map(({ id }) => id),
      ),
    warnings: async () => [...(await findFaults(client)), ...((await ownNamespace()) === undefined ? [NO_POLICY] : [])],
    [Symbol.asyncDispose]: async () => {
      for (const deployId of watches.keys()) await forget(deployId).catch(onError)
    },
  }
}

const NO_POLICY =
  'Apps run WITHOUT A NETWORK POLICY, because svc does not know the namespace in which it runs itself: the folder ' +
  'SVC_KUBERNETES_CREDENTIALS_DIR has no file `namespace`. Apps can reach every pod of the cluster.'

async function findFaults(client: KubernetesClient): Promise<string[]> {
  try {
    await client.get('/version')
    return []
  } catch (error) {
    return [`Apps cannot be deployed: the Kubernetes API server does not answer (${messageOf(error)}).`]
  }
}

async function listDeploys(client: KubernetesClient, namespace: string, app: AppRef) {
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments`
  const { items } = await client.list(path, { labelSelector: `${APP_LABEL}=${app.id}` })
  return items.map(({ metadata: { name = '', labels } }) => ({ name, deployId: labels?.[DEPLOY_LABEL] ?? '' }))
}

/** Without the domain of the cluster, which the resolver of every pod adds. */
function clusterAddress({ namespace, name }: ServiceName): { host: string; port: number } {
  return { host: `${name}.${namespace}.svc`, port: APP_PORT }
}

async function readOwnNamespace(credentialsDir: string): Promise<string | undefined> {
  const text = await readFile(join(credentialsDir, 'namespace'), 'utf8').catch(() => '')
  return text.trim() || undefined
}

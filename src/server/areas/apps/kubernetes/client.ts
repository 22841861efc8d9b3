import type { ClusterFetch } from '#lib/net/cluster-fetch.ts'
import { KubernetesError, readFailure } from './kubernetes-error.ts'
import { linesOf } from './lines.ts'

/** The part of an object that svc reads by itself. */
export type KubernetesObject = {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: {
    readonly name?: string
    readonly namespace?: string
    readonly uid?: string
    readonly resourceVersion?: string
    readonly labels?: Readonly<Record<string, string>>
  }
}
/** An object that can be applied. */
export type Manifest = KubernetesObject & { readonly apiVersion: string; readonly kind: string }

export type WatchEvent = { readonly type: string; readonly object: unknown }
type ObjectList = { readonly metadata: { readonly resourceVersion: string }; readonly items: KubernetesObject[] }

export type KubernetesClient = ReturnType<typeof createKubernetesClient>

/** The API server for work that goes on while it restarts. */
export type ClusterDeps = {
  readonly client: KubernetesClient
  /** Resolves after that many milliseconds, or at once when the signal is aborted. */
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>
  /** Called with faults that are tried again. */
  readonly onError: (error: unknown) => void
}

type Query = Readonly<Record<string, string>>

/** Under this name svc owns the fields that it applies. */
const FIELD_MANAGER = 'svc'
const APPLY = 'application/apply-patch+yaml'
const CALL_LIMIT_MS = 30_000
/** A watch event holds an object, and those of etcd have at most 1.5 MiB. */
const MAX_EVENT_BYTES = 8 * 1024 * 1024
/** Longer lines of logs are handed on in parts. */
const MAX_LOG_LINE_BYTES = 64 * 1024

/** Makes the calls of the API server that svc needs. All but `get` and `remove` throw a KubernetesError for a refusal. */
export function createKubernetesClient(send: ClusterFetch) {
  const call = async (request: Parameters<ClusterFetch>[0], signal?: AbortSignal) => {
    const limit = AbortSignal.timeout(CALL_LIMIT_MS)
    const response = await send(request, signal ? AbortSignal.any([signal, limit]) : limit)
    if (!response.ok) throw await readFailure(response)
    return (await response.json()) as unknown
  }
  const open = async (path: string, query: Query, signal: AbortSignal) => {
    const response = await send({ method: 'GET', path: withQuery(path, query) }, signal)
    if (!response.ok || !response.body) throw await readFailure(response)
    return response.body
  }
  return {
    /** Server-side apply. `force` takes fields over from other managers; without it a conflict is refused with 409. */
    apply: async (manifest: Manifest, { force }: { force: boolean }, signal?: AbortSignal) => {
      const query = { fieldManager: FIELD_MANAGER, force: String(force), fieldValidation: 'Strict' }
      const path = withQuery(pathOf(manifest), query)
      return (await call({ method: 'PATCH', path, body: manifest, contentType: APPLY }, signal)) as KubernetesObject
    },
    /** Returns undefined if there is no such object. */
    get: async (path: string, signal?: AbortSignal) => {
      return (await unlessMissing(call({ method: 'GET', path }, signal))) as KubernetesObject | undefined
    },
    /** Succeeds also if there is no such object. Pods of a removed Deployment are ended by the cluster. */
    remove: async (object: string, signal?: AbortSignal) => {
      const path = withQuery(object, { propagationPolicy: 'Background' })
      await unlessMissing(call({ method: 'DELETE', path }, signal))
    },
    list: async (path: string, query: Query, signal?: AbortSignal) => {
      return (await call({ method: 'GET', path: withQuery(path, query) }, signal)) as ObjectList
    },
    /** Yields events until the server ends the stream. */
    watch: async function* (path: string, query: Query, signal: AbortSignal) {
      const body = await open(path, { ...query, watch: 'true' }, signal)
      for await (const { text } of linesOf(body, MAX_EVENT_BYTES)) yield JSON.parse(text) as WatchEvent
    },
    /** Yields the lines of a container until the server ends the stream. `isRest`: it goes on with a line that was too long. */
    log: async function* (path: string, query: Query, signal: AbortSignal) {
      const body = await open(path, query, signal)
      let isRest = false
      for await (const { text, isWhole } of linesOf(body, MAX_LOG_LINE_BYTES)) {
        yield { text, isRest }
        isRest = !isWhole
      }
    },
  }
}

async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof KubernetesError && error.status === 404) return undefined
    throw error
  }
}

/** Kinds of objects that svc makes, and the name of each in paths. */
const RESOURCES: Readonly<Record<string, string>> = {
  Namespace: 'namespaces',
  NetworkPolicy: 'networkpolicies',
  ServiceAccount: 'serviceaccounts',
  Secret: 'secrets',
  Service: 'services',
  Deployment: 'deployments',
}

/** Returns the path of an object in the API. */
export function pathOf({ apiVersion, kind, metadata: { name, namespace } }: Manifest): string {
  const resource = RESOURCES[kind]
  if (resource === undefined || name === undefined) throw new Error(`svc makes no ${kind}`)
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  const place = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`
  return `${group}${place}/${resource}/${encodeURIComponent(name)}`
}

function withQuery(path: string, query: Query): string {
  return `${path}?${new URLSearchParams(query)}`
}

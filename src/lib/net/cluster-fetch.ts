import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createOperatorFetch, type OperatorFetch, type OperatorFetchOptions } from './operator-fetch.ts'

export type ClusterRequest = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  /** The content type of the body. The body itself is always written as JSON. */
  readonly contentType?: string
}
/** Sends a request to the API server, authenticated as the service account of this process. */
export type ClusterFetch = ((request: ClusterRequest, signal: AbortSignal) => Promise<Response>) & AsyncDisposable

/**
 * Creates a fetch for the Kubernetes API server. Its address comes from the operator or from the cluster and is nearly
 * always private, so it goes out by `createOperatorFetch`; nothing that a user types becomes a host. The credential files
 * are read at each call, because the kubelet replaces them while the process runs.
 */
export function createClusterFetch(
  apiServer: string,
  credentialsDir: string,
  options: Omit<OperatorFetchOptions, 'ca'> = {},
): ClusterFetch {
  const read = (name: string) => readFile(join(credentialsDir, name), 'utf8')
  const trusting = createFetchByAuthority(options)
  const clusterFetch = async (
    { method, path, body, contentType = 'application/json' }: ClusterRequest,
    signal: AbortSignal,
  ) => {
    const [ca, token] = await Promise.all([read('ca.crt'), read('token')])
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${token.trim()}`,
      ...(body !== undefined && { 'content-type': contentType }),
    }
    const init = { method, headers, signal, ...(body !== undefined && { body: JSON.stringify(body) }) }
    return trusting.fetch(ca)(new Request(new URL(path, apiServer), init))
  }
  return Object.assign(clusterFetch, { [Symbol.asyncDispose]: () => trusting.close() })
}

/** Makes a new fetch when the certificate authority changes, so that connections of the former one are not reused. */
function createFetchByAuthority(options: Omit<OperatorFetchOptions, 'ca'>) {
  let current: { ca: string; fetch: OperatorFetch } | undefined
  return {
    fetch: (ca: string): OperatorFetch => {
      if (current?.ca === ca) return current.fetch
      void current?.fetch[Symbol.asyncDispose]()
      current = { ca, fetch: createOperatorFetch({ ...options, ca }) }
      return current.fetch
    },
    close: async (): Promise<void> => {
      await current?.fetch[Symbol.asyncDispose]()
    },
  }
}

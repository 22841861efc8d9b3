import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createOperatorFetch, type OperatorFetch } from '#lib/net/operator-fetch.ts'

export type ClusterRequest = { method: 'GET' | 'POST'; path: string; body?: unknown }
/** Speaks to the API server as the service account we run under. */
export type Cluster = (request: ClusterRequest, signal: AbortSignal) => Promise<Response>

/** The files are read at each call, because the kubelet replaces them while we run. */
export function createCluster(apiServer: string, credentialsDir: string): Cluster {
  const read = (name: string) => readFile(join(credentialsDir, name), 'utf8')
  const trusting = createTrust()
  return async ({ method, path, body }, signal) => {
    const [ca, token] = await Promise.all([read('ca.crt'), read('token')])
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${token.trim()}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    const init = { method, headers, signal, ...(body !== undefined && { body: JSON.stringify(body) }) }
    return trusting(ca)(new Request(new URL(path, apiServer), init))
  }
}

/** Another authority means another fetch: connections made under the former one are not used again. */
function createTrust(): (ca: string) => OperatorFetch {
  let current: { ca: string; fetch: OperatorFetch } | undefined
  return (ca) => {
    if (current?.ca === ca) return current.fetch
    void current?.fetch[Symbol.asyncDispose]()
    current = { ca, fetch: createOperatorFetch({ ca }) }
    return current.fetch
  }
}

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createOperatorFetch, type OperatorFetch } from '#lib/net/operator-fetch.ts'

export type ClusterRequest = { method: 'GET' | 'POST'; path: string; body?: unknown }
/** Sends a request to the API server, authenticated as the service account of this process. */
export type ClusterFetch = (request: ClusterRequest, signal: AbortSignal) => Promise<Response>

/** Reads the credential files at each call, because the kubelet replaces them while the process runs. */
export function createClusterFetch(apiServer: string, credentialsDir: string): ClusterFetch {
  const read = (name: string) => readFile(join(credentialsDir, name), 'utf8')
  const fetchTrusting = createFetchByAuthority()
  return async ({ method, path, body }, signal) => {
    const [ca, token] = await Promise.all([read('ca.crt'), read('token')])
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${token.trim()}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    const init = { method, headers, signal, ...(body !== undefined && { body: JSON.stringify(body) }) }
    return fetchTrusting(ca)(new Request(new URL(path, apiServer), init))
  }
}

/** Makes a new fetch when the certificate authority changes, so that connections of the former one are not reused. */
function createFetchByAuthority(): (ca: string) => OperatorFetch {
  let current: { ca: string; fetch: OperatorFetch } | undefined
  return (ca) => {
    if (current?.ca === ca) return current.fetch
    void current?.fetch[Symbol.asyncDispose]()
    current = { ca, fetch: createOperatorFetch({ ca }) }
    return current.fetch
  }
}

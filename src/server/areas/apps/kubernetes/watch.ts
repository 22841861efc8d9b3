import type { ClusterDeps, KubernetesObject, WatchEvent } from './client.ts'
import { KubernetesError, toError } from './kubernetes-error.ts'

/** The server ends a watch after this time. A new one goes on at the same place. */
const WATCH_SECONDS = 290
/** Between two watches, so that a server which ends each at once is not called without pause. */
const PAUSE_MS = 100
const FIRST_RETRY_MS = 500
const MAX_RETRY_MS = 15_000

/**
 * Yields all objects that match, and again after each change, until the signal is aborted. A watch that ends goes on at
 * its last resource version; where the server has forgotten that version (410 Gone), and after any other fault, the
 * objects are listed again, so that no change is missed.
 */
export async function* watchObjects(
  deps: ClusterDeps,
  path: string,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): AsyncGenerator<readonly KubernetesObject[]> {
  let faults = 0
  while (!signal.aborted) {
    try {
      for await (const objects of watchOnce(deps, path, query, signal)) {
        faults = 0
        yield objects
      }
    } catch (error) {
      if (signal.aborted) return
      if (!isGone(error)) deps.onError(error)
      const retryMs = isGone(error) ? PAUSE_MS : Math.min(FIRST_RETRY_MS * 2 ** faults++, MAX_RETRY_MS)
      await deps.delay(retryMs, signal)
    }
  }
}

/** Lists, and then watches on until a fault. */
async function* watchOnce(
  { client, delay }: ClusterDeps,
  path: string,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): AsyncGenerator<readonly KubernetesObject[]> {
  const listed = await client.list(path, query, signal)
  const objects = new Map(listed.items.map((item) => [item.metadata.uid ?? '', item]))
  let { resourceVersion } = listed.metadata
  yield [...objects.values()]
  while (!signal.aborted) {
    const from = { ...query, resourceVersion, allowWatchBookmarks: 'true', timeoutSeconds: String(WATCH_SECONDS) }
    for await (const event of client.watch(path, from, signal)) {
      const object = readEvent(event)
      resourceVersion = object.metadata.resourceVersion ?? resourceVersion
      if (event.type === 'BOOKMARK') continue
      const uid = object.metadata.uid ?? ''
      if (event.type === 'DELETED') objects.delete(uid)
      else objects.set(uid, object)
      yield [...objects.values()]
    }
    await delay(PAUSE_MS, signal)
  }
}

function readEvent({ type, object }: WatchEvent): KubernetesObject {
  if (type === 'ERROR') throw toError(object)
  return object as KubernetesObject
}

function isGone(error: unknown): boolean {
  return error instanceof KubernetesError && error.status === 410
}

import { AsyncLocalStorage } from 'node:async_hooks'

const watch = new AsyncLocalStorage<{ begun: boolean }>()

/** Told by the database before anything that may last: a commit, or a statement outside a transaction. */
export function commitBegins(): void {
  const watched = watch.getStore()
  if (watched) watched.begun = true
}

/** Runs the work and, when it fails, says whether it can have changed anything. */
export async function watchCommits<T>(
  work: () => Promise<T>,
): Promise<{ value: T } | { error: unknown; changed: boolean }> {
  const watched = { begun: false }
  try {
    return { value: await watch.run(watched, work) }
  } catch (error) {
    return { error, changed: watched.begun }
  }
}

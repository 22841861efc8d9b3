import { AsyncLocalStorage } from 'node:async_hooks'

const watch = new AsyncLocalStorage<{ begun: boolean }>()

/** Called by the database before each commit and before each statement outside a transaction that may write. */
export function commitBegins(): void {
  const watched = watch.getStore()
  if (watched) watched.begun = true
}

/** Runs the work. When it fails, `changed` says whether a commit or a write had begun and may have taken effect. */
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

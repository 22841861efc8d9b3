// Saved before a test can replace it, because conditions are checked in real time, also under a fake clock.
const { setTimeout } = globalThis

const MIN_INTERVAL_MS = 10
const MAX_INTERVAL_MS = 50

/**
 * Resolves with the first value of `condition` that is not false, null or undefined. It has no time limit, so that no
 * test depends on how busy the machine is; a condition that never holds ends with the time limit of the test runner.
 * It asks less often the longer it waits, because many conditions are requests, and they take time from what they wait for.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
): Promise<Exclude<Awaited<T>, false | null | undefined>> {
  for (let intervalMs = MIN_INTERVAL_MS; ; intervalMs = Math.min(intervalMs * 1.2, MAX_INTERVAL_MS)) {
    const value = await condition()
    if (value !== false && value !== null && value !== undefined) {
      return value as Exclude<Awaited<T>, false | null | undefined>
    }
    await new Promise((resolve) => setTimeout(resolve, intervalMs))
  }
}

/** Repeats the work until it does not throw, and resolves with what it then gives. */
export async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  const { value } = await until(() =>
    work().then(
      (result) => ({ value: result }),
      () => undefined,
    ),
  )
  return value
}

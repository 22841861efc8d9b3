/**
 * Collects the errors that would have ended this process. Vitest keeps the process alive after one and fails the whole
 * run; this names the test that caused it.
 */
export function watchProcessFaults(): Disposable & { readonly faults: readonly unknown[] } {
  const faults: unknown[] = []
  const note = (error: unknown) => void faults.push(error)
  process.on('uncaughtException', note).on('unhandledRejection', note)
  return {
    faults,
    [Symbol.dispose]: () => void process.off('uncaughtException', note).off('unhandledRejection', note),
  }
}

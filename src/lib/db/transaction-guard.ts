import { AsyncLocalStorage } from 'node:async_hooks'

const inside = new AsyncLocalStorage<true>()

export class TransactionMisuse extends Error {
  override readonly name = 'TransactionMisuse'
}

/**
 * Throws inside a transaction, which may do SQL and nothing else. On the embedded engine a second connection would wait
 * for the first without end, and a call to another service would hold locks until that service answers.
 */
export function refuseInTransaction(what: string): void {
  if (inside.getStore()) throw new TransactionMisuse(`${what} inside a transaction: do it before or after`)
}

export function insideTransaction<T>(run: () => Promise<T>): Promise<T> {
  return inside.run(true, run)
}

/** Runs work that was started inside a transaction but is not part of it, such as timers and wake-ups. */
export function leaveTransaction<T>(run: () => T): T {
  return inside.exit(run)
}

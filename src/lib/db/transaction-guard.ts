import { AsyncLocalStorage } from 'node:async_hooks'

const inside = new AsyncLocalStorage<true>()

export class TransactionMisuse extends Error {
  override readonly name = 'TransactionMisuse'
}

/**
 * A transaction does SQL and nothing else: a second connection would wait for the first on the embedded engine for
 * ever, and a call to a neighbour holds locks for as long as the neighbour likes.
 */
export function refuseInTransaction(what: string): void {
  if (inside.getStore()) throw new TransactionMisuse(`${what} inside a transaction: do it before or after`)
}

export function insideTransaction<T>(run: () => Promise<T>): Promise<T> {
  return inside.run(true, run)
}

/** For work that merely started inside one: timers and wake-ups that outlive it. */
export function leaveTransaction<T>(run: () => T): T {
  return inside.exit(run)
}

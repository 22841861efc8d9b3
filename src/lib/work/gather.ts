import { setTimeout as wait } from 'node:timers/promises'
import { DatabaseUnavailable } from '../db/errors.ts'

type Waiting<Item, Result> = { item: Item; done: PromiseWithResolvers<Result> }
type Run<Item, Result> = (items: readonly Item[]) => Promise<readonly Result[]>

const MAX_BATCH_ITEMS = 200

type Options = {
  /** Lets the first batch wait for the calls of the same turn, where callers usually come together. */
  joinsTurn?: boolean
  /** Waits so long before each batch, where fewer and larger batches are worth more than an early result. */
  waitMs?: number
}

/**
 * Batches concurrent calls: items that arrive while a batch runs go into the next one together. A result is always read
 * after its item arrived, never from an earlier batch. If a batch fails, its items are run one by one, unless the
 * database is unavailable.
 */
export function gather<Item, Result>(
  run: Run<Item, Result>,
  { joinsTurn = false, waitMs = 0 }: Options = {},
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = []
  let isRunning = false
  const runAll = async () => {
    isRunning = true
    if (joinsTurn) await Promise.resolve()
    while (waiting.length > 0) {
      if (waitMs > 0) await wait(waitMs)
      const batch = waiting.slice(0, MAX_BATCH_ITEMS)
      waiting = waiting.slice(MAX_BATCH_ITEMS)
      await settle(run, batch)
    }
    isRunning = false
  }
  return (item) => {
    const done = Promise.withResolvers<Result>()
    waiting.push({ item, done })
    if (!isRunning) void runAll()
    return done.promise
  }
}

/** Settles the promise of each item. Never rejects. */
async function settle<Item, Result>(run: Run<Item, Result>, batch: readonly Waiting<Item, Result>[]): Promise<void> {
  try {
    const results = await run(batch.map(({ item }) => item))
    for (const [i, { done }] of batch.entries()) done.resolve(results[i]!)
  } catch (error) {
    // Run one by one, so that an item that fails does not fail the others.
    if (batch.length > 1 && !(error instanceof DatabaseUnavailable)) {
      for (const one of batch) await settle(run, [one])
    } else for (const { done } of batch) done.reject(error)
  }
}

import { DatabaseUnavailable } from './db/errors.ts'

type Waiting<Item, Result> = { item: Item; done: PromiseWithResolvers<Result> }
type Run<Item, Result> = (items: readonly Item[]) => Promise<readonly Result[]>

const MOST = 200

/**
 * Joins what is asked for at the same time into one statement: whoever comes while one runs goes into the next, with
 * all others who wait. Nothing is answered from what was read before it was asked.
 */
export function gather<Item, Result>(run: Run<Item, Result>): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = []
  let running = false
  const runAll = async () => {
    running = true
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MOST)
      waiting = waiting.slice(MOST)
      await settle(run, batch)
    }
    running = false
  }
  return (item) => {
    const done = Promise.withResolvers<Result>()
    waiting.push({ item, done })
    if (!running) void runAll()
    return done.promise
  }
}

/** Never rejects; each of them learns what became of its own. */
async function settle<Item, Result>(run: Run<Item, Result>, batch: readonly Waiting<Item, Result>[]): Promise<void> {
  try {
    const results = await run(batch.map(({ item }) => item))
    for (const [i, { done }] of batch.entries()) done.resolve(results[i]!)
  } catch (error) {
    // One that cannot be done must not take the others with it.
    if (batch.length > 1 && !(error instanceof DatabaseUnavailable)) {
      for (const one of batch) await settle(run, [one])
    } else for (const { done } of batch) done.reject(error)
  }
}

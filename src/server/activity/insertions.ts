import type { Querier } from '#lib/db/db.ts'
import { DatabaseUnavailable } from '#lib/db/errors.ts'
import { insertRecords, type NewRecord } from './store.ts'

type Waiting = { row: NewRecord; done: PromiseWithResolvers<void> }

const BATCH = 200

/** All records that come while others are being written go into one statement: the disk is waited for once, not by each. */
export function createInsertions(db: Querier): (row: NewRecord) => Promise<void> {
  let waiting: Waiting[] = []
  let writing = false

  const writeAll = async () => {
    writing = true
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH)
      waiting = waiting.slice(BATCH)
      await write(db, batch)
    }
    writing = false
  }
  return (row) => {
    const done = Promise.withResolvers<void>()
    waiting.push({ row, done })
    if (!writing) void writeAll()
    return done.promise
  }
}

/** Never rejects; each of them learns what became of its own. */
async function write(db: Querier, batch: readonly Waiting[]): Promise<void> {
  try {
    await insertRecords(
      db,
      batch.map(({ row }) => row),
    )
    for (const { done } of batch) done.resolve()
  } catch (error) {
    // One that cannot be stored must not take the others with it.
    if (batch.length > 1 && !(error instanceof DatabaseUnavailable)) {
      for (const one of batch) await write(db, [one])
    } else for (const { done } of batch) done.reject(error)
  }
}

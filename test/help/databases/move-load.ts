import { codeOf, connectTo } from './managed-databases.ts'

/** Asks questions one after the other, two at a time, until it is stopped. */
export function askAllTheTime(ask: () => Promise<unknown[]>) {
  const over = new AbortController()
  const answers: unknown[] = []
  const loop = async () => {
    while (!over.signal.aborted) {
      const [best] = await ask().catch((error: unknown) => [error])
      answers.push(best)
    }
  }
  const asking = Promise.all([loop(), loop()])
  return {
    answers: () => answers.length,
    /** Returns the best row of each answer, or its error. */
    stop: async () => {
      over.abort()
      await asking
      return answers
    },
  }
}

/**
 * Inserts numbered rows into the table `journal` until it is stopped. After an error it asks for the address again and
 * repeats the row that was not acknowledged.
 */
export function writeAllTheTime(connectionString: () => Promise<string>) {
  const over = new AbortController()
  const acknowledged: number[] = []
  const errors = new Set<unknown>()
  const insertUntilError = async () => {
    await using session = await connectTo(await connectionString())
    while (!over.signal.aborted) {
      const id = acknowledged.length + 1
      await session.query('insert into journal values ($1, $2) on conflict do nothing', [id, `note ${id}`])
      acknowledged.push(id)
    }
  }
  const loop = async () => {
    while (!over.signal.aborted) errors.add(await codeOf(insertUntilError()))
  }
  const writing = loop()
  return {
    acknowledged: () => acknowledged,
    /** The SQLSTATE of each kind of error there was; those of the driver itself have none. */
    errors: () => [...errors].map((code) => (typeof code === 'string' ? code : 'connection lost')),
    stop: async () => {
      over.abort()
      await writing
      return acknowledged
    },
  }
}

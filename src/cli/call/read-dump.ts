import type { Client } from '#contract/core/client.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { dumpDatabase } from '#contract/databases.ts'
import { paced } from './paced.ts'

type OnWait = (seconds: number | undefined) => void

/** Yields the parts of a database's dump. Throws at the end if the dump is not complete. */
export async function* readDump(client: Client, name: string, onWait: OnWait): AsyncGenerator<string> {
  let bytes = 0
  const { events, first } = await paced(() => open(client, name), onWait)
  for (let next = first; !next.done; next = await events.next()) {
    const { sql, total_bytes } = next.value
    bytes += Buffer.byteLength(sql)
    if (sql !== '') yield sql
    if (total_bytes === bytes) return
  }
  throw new ServiceError('UNAVAILABLE', `The dump of ${name} ended before it was complete. Try again.`)
}

/** Waits for the first part, because a refusal comes in its place. */
async function open(client: Client, name: string) {
  const events = client.stream(dumpDatabase, { name })
  return { events, first: await events.next() }
}

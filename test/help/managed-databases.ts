import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'

/** Folder of an empty cluster that the global setup creates and all tests copy. */
export const EMPTY_CLUSTER = join(import.meta.dirname, '../../../node_modules/.cache/svc-test/empty-cluster')

/** Copies the empty cluster into a data folder, which is faster than creating one. */
export function bringEmptyCluster(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true })
  const link = join(dataDir, 'empty-cluster')
  if (!existsSync(link)) symlinkSync(EMPTY_CLUSTER, link)
}

/** Connects a plain client. Disposing does not wait for its end, because the server ends some of them. */
export async function connectTo(connectionString: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString })
  client.on('error', () => {})
  await client.connect()
  return Object.assign(client, {
    [Symbol.asyncDispose]: async () => {
      await client.end().catch(() => undefined)
    },
  })
}

export async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
    return 'no error'
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error
  }
}

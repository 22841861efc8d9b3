import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'

/** An empty cluster that all tests share; the tests' global setup makes it. */
export const EMPTY_CLUSTER = join(import.meta.dirname, '../../../node_modules/.cache/svc-test/empty-cluster')

/** Spares a test on the embedded engine the making of an empty cluster. */
export function bringEmptyCluster(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true })
  const link = join(dataDir, 'empty-cluster')
  if (!existsSync(link)) symlinkSync(EMPTY_CLUSTER, link)
}

/** A client as anyone would have it; its end is not waited for, since some are ended by the server. */
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

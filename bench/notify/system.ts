import { randomBytes } from 'node:crypto'
import type { Db } from '#lib/db/db.ts'
import { migrate } from '#lib/db/migrate/migrate.ts'
import { openPostgres } from '#lib/db/postgres.ts'
import { allMigrations } from '../../src/server/process/schema.ts'
import { query } from '../help/stores.ts'
import { type Child, startChild } from './children.ts'

/** A worker, its database and the sink its messages reach. */
export type System = AsyncDisposable & { db: Db; sink: Child; worker: Child; key: string; port: number }

/** Makes and migrates a database of its own on the server. */
export async function openDatabase(server: string, name: string): Promise<{ db: Db; url: string }> {
  await query(server, `create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  const db = openPostgres({ url: url.href, onError: console.error, statementTimeoutMs: 300_000 })
  await migrate(db, allMigrations())
  return { db, url: url.href }
}

/** Starts the loops of a worker. Its slots are started by each measurement. */
export async function startSystem(server: string, name: string, connections: 'keep' | 'new'): Promise<System> {
  const stack = new AsyncDisposableStack()
  try {
    const { db, url } = await openDatabase(server, name)
    stack.use(db)
    const sink = stack.use(await startChild('sink.ts'))
    const port = await sink.call<number>('port')
    const key = randomBytes(16).toString('hex')
    const worker = stack.use(await startChild('worker.ts', [url, String(port), key, connections]))
    await worker.call('startLoops')
    return { db, sink, worker, key, port, [Symbol.asyncDispose]: () => stack.disposeAsync() }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

import { randomBytes } from 'node:crypto'
import type { PoolClient } from 'pg'
import pg from 'pg'
import { commitBegins } from './commit-watch.ts'
import { DatabaseUnavailable, unavailableFrom } from './errors.ts'
import type { Sql } from './sql.ts'
import { insideTransaction, refuseInTransaction, TransactionMisuse } from './transaction-guard.ts'

declare const inTransaction: unique symbol

/** What a store function takes when it must be part of a change. Only `Db.tx` makes one. */
export type Tx = {
  query<Row>(statement: Sql): Promise<Row[]>
  readonly [inTransaction]: true
}

export type TxOptions = { readOnly?: boolean; timeoutMs?: number }

/** Reads outside a transaction; anything that writes more than one row's truth takes `tx`. */
export type Db = {
  readonly engine: 'postgres' | 'embedded'
  /** Names this opening of the database. Postgres shows it as the `application_name` of its pooled connections. */
  readonly instance: string
  query<Row>(statement: Sql): Promise<Row[]>
  tx<T>(run: (tx: Tx) => Promise<T>, options?: TxOptions): Promise<T>
  /** Calls back at each NOTIFY, and once after every reconnection, when some may have been missed. */
  listen(channel: string, onNotify: (payload: string) => void): Promise<AsyncDisposable>
  [Symbol.asyncDispose](): Promise<void>
}

export type Querier = Pick<Db, 'query'>

/** What the two engines differ in. */
export type Engine = {
  readonly name: Db['engine']
  readonly instance?: string
  readonly pool: pg.Pool
  /** Bounds each statement of the transaction that begins on this client; undefined is the usual bound again. */
  limitStatements(client: PoolClient, timeoutMs: number | undefined): Promise<void>
  listen: Db['listen']
  close(): Promise<void>
}

// int8 as a number: ours are counts and sizes. Dates stay text, since a Date would shift them by the time zone.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text)

/** A random name, so that no two processes share one. */
export function newInstance(): string {
  return `svc ${randomBytes(8).toString('hex')}`
}

export function createDb(engine: Engine): Db {
  return {
    engine: engine.name,
    instance: engine.instance ?? '',
    query: async (statement) => {
      refuseInTransaction('a plain query')
      if (!/^\s*select\b/i.test(statement.text)) commitBegins()
      return queryOnce(engine.pool, statement)
    },
    tx: async (work, options) => {
      refuseInTransaction('a second transaction')
      return transact(engine, work, options ?? {})
    },
    listen: async (channel, onNotify) => {
      refuseInTransaction('listening')
      return engine.listen(channel, onNotify).catch(rethrow)
    },
    [Symbol.asyncDispose]: () => engine.close(),
  }
}

/** Not `pool.query`: that one closes the connection after any error, be it a duplicate key. */
async function queryOnce<Row>(pool: pg.Pool, statement: Sql): Promise<Row[]> {
  const client = await connect(pool)
  let broken: DatabaseUnavailable | undefined
  try {
    return await run<Row>(client, statement)
  } catch (error) {
    if (error instanceof DatabaseUnavailable) broken = error
    throw error
  } finally {
    release(client, broken)
  }
}

async function connect(pool: pg.Pool): Promise<PoolClient> {
  const client = await pool.connect().catch(rethrow)
  return client.on('error', onLost)
}

function release(client: PoolClient, broken: Error | undefined): void {
  client.release(broken)
  client.off('error', onLost)
}

/** The next statement fails and tells; with nobody listening the event itself would end the process. */
function onLost(): void {}

async function run<Row>(client: PoolClient, statement: Sql): Promise<Row[]> {
  try {
    const { name, text, values } = statement
    const config = name === '' ? { text } : { name, text, values: values as unknown[] }
    const result = await client.query(config)
    return result.rows as Row[]
  } catch (error) {
    return rethrow(error)
  }
}

function rethrow(error: unknown): never {
  throw unavailableFrom(error) ?? error
}

async function transact<T>(engine: Engine, work: (tx: Tx) => Promise<T>, options: TxOptions): Promise<T> {
  const client = await connect(engine.pool)
  let broken: Error | undefined
  try {
    await begin(engine, client, options)
    const result = await insideTransaction(() => runWork(client, work))
    await commit(client)
    return result
  } catch (error) {
    broken = await rollback(client)
    throw error
  } finally {
    if (!broken) await engine.limitStatements(client, undefined)
    release(client, broken)
  }
}

async function begin(engine: Engine, client: PoolClient, options: TxOptions): Promise<void> {
  await run(client, { text: options.readOnly ? 'begin read only' : 'begin', values: [], name: '' })
  await engine.limitStatements(client, options.timeoutMs)
}

/** The server answers a commit after a failed statement with a rollback, and does not call that an error. */
async function commit(client: PoolClient): Promise<void> {
  commitBegins()
  const { command } = await client.query('commit').catch(rethrow)
  if (command !== 'COMMIT') {
    throw new TransactionMisuse('a statement failed and its error was caught inside: nothing was changed')
  }
}

/** The `tx` dies with its callback: a promise nobody awaited must not write into the next transaction. */
async function runWork<T>(client: PoolClient, work: (tx: Tx) => Promise<T>): Promise<T> {
  let open = true
  const query = <Row>(statement: Sql): Promise<Row[]> => {
    if (!open) throw new TransactionMisuse('a query after its transaction ended: await it inside')
    return run<Row>(client, statement)
  }
  try {
    return await work({ query } as Tx)
  } finally {
    open = false
  }
}

/** Answers the error that makes the connection useless, if the rollback itself failed. */
async function rollback(client: PoolClient): Promise<Error | undefined> {
  try {
    await client.query('rollback')
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

import { randomBytes } from 'node:crypto'
import type { PoolClient } from 'pg'
import pg from 'pg'
import { changeBegins } from './change-watch.ts'
import { ANSWER_MARGIN_MS, withDeadline } from './deadline.ts'
import { DatabaseUnavailable, isStalePlan, standbyFrom, unavailableFrom } from './errors.ts'
import { runNamed } from './run-named.ts'
import type { HeldLock, SessionLock } from './session-lock.ts'
import type { Sql } from './sql.ts'
import { insideTransaction, refuseInTransaction, TransactionMisuse } from './transaction-guard.ts'

declare const inTransaction: unique symbol

/** An open transaction. Only `Db.tx` makes one, so a function that takes it is always part of a transaction. */
export type Tx = {
  query<Row>(statement: Sql): Promise<Row[]>
  readonly [inTransaction]: true
}

type TxOptions = {
  readOnly?: boolean
  timeoutMs?: number
  /** Settings of Postgres for this transaction only. They travel with its begin, so they cost no statement. */
  settings?: Readonly<Record<string, string>>
}

/** One connection, lent by `Db.session`. */
export type DbSession = {
  /** `timeoutMs` bounds this statement in place of the usual limit. */
  query<Row>(statement: Sql, options?: { timeoutMs: number }): Promise<Row[]>
  tx: Db['tx']
}

/** The platform's database. `query` is for reads and single writes; writes that belong together take `tx`. */
export type Db = {
  readonly engine: 'postgres' | 'embedded'
  /** Name of this pool, unique to it. Postgres shows it as the `application_name` of the pool's connections. */
  readonly instance: string
  query<Row>(statement: Sql): Promise<Row[]>
  tx<T>(run: (tx: Tx) => Promise<T>, options?: TxOptions): Promise<T>
  /**
   * Runs on one connection that nobody else uses meanwhile: for session-level locks, and for statements that cannot be
   * part of a transaction.
   */
  session<T>(run: (session: DbSession) => Promise<T>): Promise<T>
  /** Runs `probe` if the last refused write was refused by a full or read-only disk. Throws while the probe is too. */
  recheckWrites(probe: Sql): Promise<void>
  /** Calls back at each NOTIFY, and once after every reconnection, when some may have been missed. */
  listen(channel: string, onNotify: (payload: string) => void): Promise<AsyncDisposable>
  /**
   * Holds a lock until this database is closed, and takes it again after every reconnection. Throws LockTaken if another
   * process holds it. On the embedded engine it does nothing, because that has one process at a time.
   */
  holdLock(lock: SessionLock): Promise<HeldLock>
  [Symbol.asyncDispose](): Promise<void>
}

export type Querier = Pick<Db, 'query'>

/** The differences between Postgres and the embedded engine. */
export type Engine = {
  readonly name: Db['engine']
  readonly instance?: string
  readonly pool: pg.Pool
  /** Connections for `session`, where those of `pool` change from one transaction to the next. Default: `pool`. */
  readonly sessions?: pg.Pool
  /**
   * How long the server lets a statement run unless its transaction says otherwise. A connection that has not answered
   * a second after that is destroyed. Absent where the engine itself ends every statement in time.
   */
  readonly statementLimitMs?: number
  /**
   * False sends every statement without a name. Needed where code that is not ours runs in the session: it can replace
   * a prepared statement by another of the same name.
   */
  readonly isPrepared?: boolean
  /** True where the role may be read-only on purpose. A refused write then says nothing about the server. */
  readonly mayBeReadOnly?: boolean
  /** Bounds each statement of the transaction that begins on this client. Undefined restores the usual bound. */
  limitStatements(client: PoolClient, timeoutMs: number | undefined): Promise<void>
  /** Bounds the statements that follow outside a transaction. Absent where the engine cannot end a statement itself. */
  limitSession?(client: PoolClient, timeoutMs: number): Promise<unknown>
  listen: Db['listen']
  /** Absent where only one process can open the database. */
  holdLock?: Db['holdLock']
  close(): Promise<void>
}

// int8 becomes a number: our int8 columns are counts and sizes. Dates stay text: a Date shifts them by the time zone.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text)

/** Returns a random name, so that no two pools share one. */
export function newInstance(): string {
  return `svc ${randomBytes(8).toString('hex')}`
}

export function createDb(engine: Engine): Db {
  let wasWriteRefused = false
  const noteRefusal = (error: unknown): never => {
    if (error instanceof DatabaseUnavailable && error.writeFault) wasWriteRefused = true
    throw error
  }
  return {
    engine: engine.name,
    instance: engine.instance ?? '',
    query: async (statement) => {
      refuseInTransaction('a plain query')
      if (!/^\s*select\b/i.test(statement.text)) {
        await changeBegins(engine.instance ?? '', { query: (mark) => queryOnce<never>(engine, mark) })
      }
      return queryOnce<never>(engine, statement).catch(noteRefusal)
    },
    tx: async (work, options) => {
      refuseInTransaction('a second transaction')
      return transact(engine, work, options ?? {}).catch(noteRefusal)
    },
    session: async (work) => {
      refuseInTransaction('a second session')
      return holdSession(engine, work).catch(noteRefusal)
    },
    recheckWrites: async (probe) => {
      if (!wasWriteRefused) return
      await queryOnce(engine, probe)
      wasWriteRefused = false
    },
    listen: async (channel, onNotify) => {
      refuseInTransaction('listening')
      return engine.listen(channel, onNotify).catch(rethrow)
    },
    holdLock: async (lock) => {
      refuseInTransaction('holding a lock')
      return (await engine.holdLock?.(lock).catch(rethrow)) ?? { check: () => undefined }
    },
    [Symbol.asyncDispose]: () => engine.close(),
  }
}

/** A connection taken from the pool. `limitMs` is how long to wait for the answer to each statement. */
type Session = {
  readonly client: PoolClient
  readonly limitMs: number | undefined
  readonly isPrepared: boolean
  /** Set when the connection must be closed and not go back to the pool. */
  broken?: Error | undefined
}

/** Does not use `pool.query`, which closes the connection after every error, even a duplicate key. */
async function queryOnce<Row>(engine: Engine, statement: Sql): Promise<Row[]> {
  const session = await openSession(engine, {})
  let broken: DatabaseUnavailable | undefined
  try {
    return await run<Row>(session, statement)
  } catch (error) {
    const reported = (engine.mayBeReadOnly ? undefined : standbyFrom(error)) ?? error
    if (reported instanceof DatabaseUnavailable) broken = reported
    throw reported
  } finally {
    release(session, broken)
  }
}

async function openSession(
  engine: Engine,
  { timeoutMs = engine.statementLimitMs }: TxOptions,
  pool: pg.Pool = engine.pool,
): Promise<Session> {
  const client = await pool.connect().catch(rethrow)
  client.on('error', onLost)
  const { isPrepared = true } = engine
  return { client, limitMs: answerLimit(engine, timeoutMs), isPrepared }
}

function answerLimit({ statementLimitMs }: Engine, timeoutMs: number | undefined): number | undefined {
  return statementLimitMs === undefined || timeoutMs === undefined ? undefined : timeoutMs + ANSWER_MARGIN_MS
}

function release({ client }: Session, broken: Error | undefined): void {
  client.release(broken)
  client.off('error', onLost)
}

/** Does nothing: the next statement fails with the reason, but an `error` event without a listener ends the process. */
function onLost(): void {}

function run<Row>({ client, limitMs, isPrepared }: Session, statement: Sql): Promise<Row[]> {
  const { name, text, values } = statement
  if (isPrepared && name !== '') return send({ client, limitMs }, () => runNamed<Row>(client, statement))
  const config = name === '' ? { text } : { text, values: values as unknown[] }
  return send({ client, limitMs }, async () => (await client.query(config)).rows as Row[])
}

/** Everything sent to the server goes through here, so that each answer is waited for with a limit. */
async function send<T>({ client, limitMs }: Pick<Session, 'client' | 'limitMs'>, ask: () => Promise<T>): Promise<T> {
  return withDeadline(client, limitMs, ask).catch(rethrow)
}

function rethrow(error: unknown): never {
  throw unavailableFrom(error) ?? error
}

/** Closes the connection on Postgres afterwards, so that the session's settings and locks never reach its next user. */
async function holdSession<T>(engine: Engine, work: (session: DbSession) => Promise<T>): Promise<T> {
  const session = await openSession(engine, {}, engine.sessions)
  const query: DbSession['query'] = async (statement, options) => {
    if (!options) return run<never>(session, statement)
    const { timeoutMs } = options
    await send(session, async () => engine.limitSession?.(session.client, timeoutMs))
    return run<never>({ ...session, limitMs: answerLimit(engine, timeoutMs) }, statement)
  }
  const tx: DbSession['tx'] = async (steps, options = {}) => {
    const bounded = { ...session, limitMs: answerLimit(engine, options.timeoutMs ?? engine.statementLimitMs) }
    try {
      return await transactOn(engine, bounded, steps, options)
    } finally {
      session.broken = bounded.broken
    }
  }
  try {
    return await insideTransaction(() => work({ query, tx }))
  } finally {
    release(session, session.broken ?? (engine.limitSession && new Error('the session is over')))
  }
}

async function transact<T>(engine: Engine, work: (tx: Tx) => Promise<T>, options: TxOptions): Promise<T> {
  const session = await openSession(engine, options)
  try {
    return await transactOn(engine, session, work, options)
  } finally {
    release(session, session.broken)
  }
}

async function transactOn<T>(
  engine: Engine,
  session: Session,
  work: (tx: Tx) => Promise<T>,
  options: TxOptions,
): Promise<T> {
  try {
    await begin(engine, session, options)
    const result = await insideTransaction(() => runWork(session, work))
    if (!options.readOnly) {
      await changeBegins(engine.instance ?? '', { query: (mark) => run<never>(session, mark) })
    }
    await commit(session)
    return result
  } catch (error) {
    session.broken = (await rollback(session)) ?? stalePlanOf(error)
    // In a transaction begun as read-only the same error means that the statement is wrong.
    const standby = options.readOnly || engine.mayBeReadOnly ? undefined : standbyFrom(error)
    // Another connection may reach the server that took over.
    session.broken ??= standby
    throw standby ?? error
  } finally {
    if (!session.broken) await engine.limitStatements(session.client, undefined)
  }
}

/** The error if the connection has a statement prepared that it can never run again. */
function stalePlanOf(error: unknown): Error | undefined {
  return error instanceof DatabaseUnavailable && isStalePlan(error.cause) ? error : undefined
}

async function begin(engine: Engine, session: Session, options: TxOptions): Promise<void> {
  const settings = Object.entries(options.settings ?? {}).map(
    ([name, value]) => `set local ${pg.escapeIdentifier(name)} = ${pg.escapeLiteral(value)}`,
  )
  const text = [options.readOnly ? 'begin read only' : 'begin', ...settings].join('; ')
  await run(session, { text, values: [], name: '' })
  await send(session, () => engine.limitStatements(session.client, options.timeoutMs))
}

/** The server answers a commit after a failed statement with a rollback, and does not call that an error. */
async function commit(session: Session): Promise<void> {
  const { command } = await send(session, () => session.client.query('commit'))
  if (command !== 'COMMIT') {
    throw new TransactionMisuse('a statement failed and its error was caught inside: nothing was changed')
  }
}

/** The `tx` ends with its callback, because a query nobody awaited would otherwise run in the next transaction. */
async function runWork<T>(session: Session, work: (tx: Tx) => Promise<T>): Promise<T> {
  let open = true
  const query = <Row>(statement: Sql): Promise<Row[]> => {
    if (!open) throw new TransactionMisuse('a query after its transaction ended: await it inside')
    return run<Row>(session, statement)
  }
  try {
    return await work({ query } as Tx)
  } finally {
    open = false
  }
}

/** Returns the error if the rollback itself failed, after which the connection cannot be used. */
async function rollback(session: Session): Promise<Error | undefined> {
  try {
    await send(session, () => session.client.query('rollback'))
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

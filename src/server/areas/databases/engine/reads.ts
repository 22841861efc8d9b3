import { isDeepStrictEqual } from 'node:util'
import type pg from 'pg'
import type { Db, Tx } from '#lib/db/db.ts'
import { ANSWER_MARGIN_MS, withDeadline } from '#lib/db/deadline.ts'
import { DatabaseUnavailable, unavailableFrom } from '#lib/db/errors.ts'
import { runAfter } from '#lib/db/run-after.ts'
import { runNamed } from '#lib/db/run-named.ts'
import { type Sql, script } from '#lib/db/sql.ts'
import { READER } from './engine.ts'
import { createResettingGuards, type Guard, sessionGuard, settingsGuard } from './guard.ts'
import { lendConnections } from './lend-connections.ts'
import { type LocalSettings, setLocally } from './local-settings.ts'
import type { Overdue } from './overdue.ts'

export type Reads = {
  /**
   * Reads on one connection, read-only, after the statement `session` has set its settings. Each statement may take 10
   * seconds. On a server all of them together, with the wait for a connection, may take a second more. Each statement has
   * the settings `local`, which the connection has lost when the answer is there.
   */
  reads<T>(work: (on: Pick<Tx, 'query'>) => Promise<T>, session: Sql, local?: LocalSettings): Promise<T>
}

/**
 * Reads on pooled connections, which keep the settings they were last given, so that a question takes one round trip
 * and not six. When a prepared statement is missing, all connections are dropped and the read is repeated on a new one.
 */
export function readsOn(
  pool: pg.Pool,
  limitMs = READER.statementMs + ANSWER_MARGIN_MS,
  overdue?: Pick<Overdue, 'endOf'>,
): Reads['reads'] {
  const connections = trackConnections(pool, limitMs, overdue)
  return async (work, session, local) => {
    const reading = { until: performance.now() + limitMs, work, session, local }
    try {
      return await readOnce(connections, reading)
    } catch (error) {
      if (!isDeallocated(error)) throw error
      connections.dropAll()
      return await readOnce(connections, reading).catch(unavailableIfDeallocated)
    }
  }
}

type Connections = ReturnType<typeof trackConnections>

/** A pooled connection, from its first use until it is closed. */
type Connection = {
  readonly client: pg.PoolClient
  /** Runs a statement as it is. */
  readonly query: Query
  /** Runs a statement and then the guard. */
  readonly guarded: Pick<Tx, 'query'>
  /** The settings it was last given; undefined when others may have changed them. */
  session: Sql | undefined
  /** The settings of the person whose statements it ran last. */
  person: LocalSettings | undefined
  /** One that is lower than the current generation must not be used again. */
  readonly generation: number
}

/** Remembers the settings of each pooled connection, and which of them must not be used again. */
function trackConnections(pool: pg.Pool, limitMs: number, overdue: Pick<Overdue, 'endOf'> | undefined) {
  const lending = lendConnections(pool, limitMs)
  const guardOf = createResettingGuards()
  const connections = new WeakMap<pg.PoolClient, Connection>()
  let generation = 0
  // Whoever else uses a connection of this pool may change its settings.
  pool.on('release', (_error, client) => {
    const connection = connections.get(client)
    if (connection && !lending.isLent(client)) connection.session = undefined
  })
  const track = (client: pg.PoolClient): Connection => {
    const query = <Row>(statement: Sql): Promise<Row[]> => run<Row>(client, statement)
    const guarded = withGuard(query, sessionGuard)
    const connection: Connection = { client, query, guarded, session: undefined, person: undefined, generation }
    connections.set(client, connection)
    return connection
  }
  const take = async (): Promise<Connection> => {
    const client = await lending.take().catch(rethrow)
    const connection = connections.get(client) ?? track(client)
    if (connection.generation === generation) return connection
    lending.giveBack(client, outdated())
    return take()
  }
  return {
    take,
    guardOf,
    giveBack(connection: Connection, session: Sql | undefined, broken: Error | undefined): void {
      const { client } = connection
      connection.session = broken ? undefined : session
      const isOutdated = connection.generation !== generation
      const giveBack = () => lending.giveBack(client, broken ?? (isOutdated ? outdated() : undefined))
      // Until the server has ended the session, it counts as one of the connections that questions may have.
      const ending = overdue?.endOf(client)
      if (ending) void ending.finally(giveBack)
      else giveBack()
    },
    dropAll(): void {
      generation++
    },
  }
}

function outdated(): Error {
  return new Error('a prepared statement of the connection may be gone')
}

/**
 * Before another person's statement. Code of a policy can leave what it found out about a person in the session: in a
 * setting of its own, or in the plan of a function that calls one which is wrongly declared immutable.
 */
const FORGET_PERSON = script('reset all; discard plans')

type Reading<T> = {
  readonly until: number
  readonly work: (on: Pick<Tx, 'query'>) => Promise<T>
  readonly session: Sql
  readonly local: LocalSettings | undefined
}

async function readOnce<T>(connections: Connections, { until, work, session, local }: Reading<T>): Promise<T> {
  const connection = await connections.take()
  let broken: Error | undefined
  let current = connection.session
  try {
    const limitMs = Math.max(1, until - performance.now())
    return await withDeadline(connection.client, limitMs, async () => {
      if (!isDeepStrictEqual(connection.person, local)) {
        current = undefined
        await connection.query(FORGET_PERSON)
        connection.person = local
      }
      if (current === undefined) await connection.query(sessionGuard.statement)
      if (!current || !isSame(current, session)) await connection.query(session)
      current = session
      return work(local ? under(local, connection, connections.guardOf) : connection.guarded)
    })
  } catch (error) {
    if (error instanceof Error && (error instanceof DatabaseUnavailable || isDeallocated(error))) broken = error
    throw error
  } finally {
    connections.giveBack(connection, current, broken)
  }
}

/** Runs statements under settings that none of them leaves behind. Scripts are the guard's own and have no person. */
function under(
  local: LocalSettings,
  { client, query }: Connection,
  guardOf: Connections['guardOf'],
): Pick<Tx, 'query'> {
  const before = setLocally(local)
  const queryUnder = <Row>(statement: Sql): Promise<Row[]> =>
    statement.name === '' ? query<Row>(statement) : runAfter<Row & object>(client, before, statement).catch(rethrow)
  return withGuard(queryUnder, guardOf(Object.keys(local)))
}

function isSame(one: Sql, other: Sql): boolean {
  return one === other || (one.text === other.text && isDeepStrictEqual(one.values, other.values))
}

/** Reads where all connections share one session, which loses its settings when another connection has its turn. */
export function readsInTransaction(db: Pick<Db, 'tx'>): Reads['reads'] {
  let person: LocalSettings | undefined | 'unknown' = 'unknown'
  return (work, session, local) =>
    db.tx(
      async (tx) => {
        if (!isDeepStrictEqual(person, local)) {
          await tx.query(FORGET_PERSON)
          await tx.query(settingsGuard.statement)
        }
        // A transaction that fails undoes the reset of settings too.
        person = 'unknown'
        await tx.query(session)
        const query = local ? queryAfter(tx, setLocally(local)) : (statement: Sql) => tx.query<never>(statement)
        const result = await work({ query: (statement) => guardedQuery(query, settingsGuard, statement) })
        person = local
        return result
      },
      { readOnly: true, timeoutMs: READER.statementMs },
    )
}

/** Code of a tenant may have changed the settings in the statement before, so they are set for each. */
function queryAfter(tx: Tx, settings: Sql): Query {
  return async (statement) => {
    await tx.query(settings)
    return tx.query(statement)
  }
}

type Query = Pick<Tx, 'query'>['query']

/**
 * Runs the guard after each statement, also after one that failed: its settings were rolled back, but not what it
 * prepared or deallocated.
 */
function withGuard(query: Query, guard: Guard): Pick<Tx, 'query'> {
  return {
    query: async <Row>(statement: Sql): Promise<Row[]> => {
      try {
        return await guardedQuery<Row>(query, guard, statement)
      } catch (error) {
        if (isAnswer(error)) await query(guard.statement)
        throw error
      }
    },
  }
}

/**
 * Runs EXPLAIN and the guard apart, because EXPLAIN cannot be part of another statement and can run a tenant's
 * function.
 */
async function guardedQuery<Row>(query: Query, guard: Guard, statement: Sql): Promise<Row[]> {
  if (!statement.text.startsWith('explain')) return query<Row>(guard.guarded(statement))
  const rows = await query<Row>(statement)
  await query(guard.statement)
  return rows
}

async function run<Row>(client: pg.PoolClient, statement: Sql): Promise<Row[]> {
  if (statement.name !== '') return runNamed<Row>(client, statement).catch(rethrow)
  const { rows } = await client.query(statement.text).catch(rethrow)
  return rows as Row[]
}

function rethrow(error: unknown): never {
  throw unavailableFrom(error) ?? error
}

/** Whether the database refused the statement. The connection itself still works. */
function isAnswer(error: unknown): boolean {
  return error instanceof Error && 'code' in error && !isDeallocated(error)
}

// https://www.postgresql.org/docs/15/errcodes-appendix.html: no such prepared statement, or one of that name already
const STATEMENT_STATES = new Set<unknown>(['26000', '42P05'])

/** Whether a tenant's function changed the prepared statements of its session, which the driver does not notice. */
function isDeallocated(error: unknown): boolean {
  return error instanceof Error && 'code' in error && STATEMENT_STATES.has(error.code)
}

function unavailableIfDeallocated(error: unknown): never {
  if (!isDeallocated(error)) throw error
  throw new DatabaseUnavailable('the database cannot answer now', { cause: error })
}

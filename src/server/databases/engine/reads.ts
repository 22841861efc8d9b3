import { isDeepStrictEqual } from 'node:util'
import type pg from 'pg'
import type { Db, Tx } from '#lib/db/db.ts'
import { DatabaseUnavailable, unavailableFrom } from '#lib/db/errors.ts'
import type { Sql } from '#lib/db/sql.ts'
import { READER } from './engine.ts'
import { GUARD, guarded } from './guard.ts'

export type Reads = {
  /** Reads on one connection, after `session` has set what holds for it; read-only, 10 seconds at most for each. */
  reads<T>(work: (on: Pick<Tx, 'query'>) => Promise<T>, session: Sql): Promise<T>
}

/** A connection keeps what it was last told, so that a question takes one round trip where it would take six. */
export function readsOn(pool: pg.Pool): Reads['reads'] {
  const told = new WeakMap<pg.PoolClient, Sql>()
  return async (work, session) => {
    const client = await pool.connect().catch(rethrow)
    client.on('error', onLost)
    let broken: DatabaseUnavailable | undefined
    try {
      const before = told.get(client)
      if (before === undefined) await run(client, GUARD)
      if (!before || !isSame(before, session)) await run(client, session)
      told.set(client, session)
      return await work(withGuard((statement) => run(client, statement)))
    } catch (error) {
      if (error instanceof DatabaseUnavailable) broken = error
      throw error
    } finally {
      client.release(broken)
      client.off('error', onLost)
    }
  }
}

function isSame(one: Sql, other: Sql): boolean {
  return one === other || (one.text === other.text && isDeepStrictEqual(one.values, other.values))
}

/** Where all connections share one session, and what one has set is gone when another had its turn. */
export function readsInTransaction(db: Pick<Db, 'tx'>): Reads['reads'] {
  return (work, session) =>
    db.tx(
      async (tx) => {
        await tx.query(session)
        return work(withGuard((statement) => tx.query(statement)))
      },
      { readOnly: true, timeoutMs: READER.statementMs },
    )
}

type Query = Pick<Tx, 'query'>['query']

function withGuard(query: Query): Pick<Tx, 'query'> {
  return {
    query: async <Row>(statement: Sql): Promise<Row[]> => {
      if (!isExplain(statement)) return query<Row>(guarded(statement))
      const rows = await query<Row>(statement)
      await query(GUARD)
      return rows
    },
  }
}

/** Planning may run a tenant's function too, and an explanation cannot be part of another statement. */
function isExplain({ text }: Sql): boolean {
  return text.startsWith('explain')
}

async function run<Row>(client: pg.PoolClient, { name, text, values }: Sql): Promise<Row[]> {
  const { rows } = await client.query({ name, text, values: values as unknown[] }).catch(rethrow)
  return rows as Row[]
}

function rethrow(error: unknown): never {
  throw unavailableFrom(error) ?? error
}

/** The next statement fails and tells; with nobody listening the event itself would end the process. */
function onLost(): void {}

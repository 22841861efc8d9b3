import type pg from 'pg'
import type { Sql } from './sql.ts'

/** Runs a statement by its name, so that the server prepares it once on each connection. */
export async function runNamed<Row>(client: pg.PoolClient, { name, text, values }: Sql): Promise<Row[]> {
  try {
    return (await client.query({ name, text, values: [...values] })).rows as Row[]
  } catch (error) {
    // The stack of the driver's error begins where the socket is read. This one begins where the statement was run.
    if (error instanceof Error) Error.captureStackTrace(error)
    throw error
  }
}
